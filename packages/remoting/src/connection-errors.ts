import { RocketMqError } from '@rocketmq-ts/runtime'
import type { PendingCall } from './pending-call.ts'

/** The error of a call whose connection is gone, or going. */
export function closedError(remoteAddress: string, reason: string): RocketMqError {
  return new RocketMqError('CONNECTION_CLOSED', `connection to ${remoteAddress}: ${reason}`, {
    details: { address: remoteAddress },
  })
}

/** The error of a call that was not answered in time. */
export function timeoutError(remoteAddress: string, call: PendingCall): RocketMqError {
  const { code, timeoutMs } = call
  return new RocketMqError(
    'REQUEST_TIMEOUT',
    `no answer from ${remoteAddress} to request code ${code} within ${Math.round(timeoutMs)} ms`,
    { details: { address: remoteAddress, requestCode: code, timeoutMs } },
  )
}

/** The error of a call for which there is no room. */
export function crowdedError(remoteAddress: string, what: string): RocketMqError {
  return new RocketMqError('TOO_MANY_REQUESTS', `${what} to ${remoteAddress}`, { details: { address: remoteAddress } })
}

/** The error of a call whose signal was aborted. */
export function abortedError(code: number, signal: AbortSignal | undefined): RocketMqError {
  return new RocketMqError('ABORTED', `the call of request code ${code} was aborted`, { cause: signal?.reason })
}
