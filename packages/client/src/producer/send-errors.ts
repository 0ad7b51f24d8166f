import { type RemotingCommand, responseCodeName } from '@rocketmq-ts/protocol'
import { RocketMqError } from '@rocketmq-ts/runtime'
import type { SendCall } from './send-call.ts'
import type { SendLimiter } from './send-limiter.ts'

/** The broker answered with a code that isn't a result. */
export function refusedSend(call: SendCall, response: RemotingCommand): RocketMqError {
  const { code, remark } = response
  const broker = `broker ${call.target?.brokerName} (${call.address})`
  const answer = `code ${code} (${responseCodeName(code) ?? 'unknown'}): ${remark ?? ''}`
  const text = `${broker} refused a message to "${call.topic.userTopic}" with ${answer}`
  return new RocketMqError('RESPONSE_ERROR', text, {
    details: { responseCode: code, remark: remark ?? '', address: call.address, brokerName: call.target?.brokerName },
  })
}

export function abortedSend(call: SendCall): RocketMqError {
  const text =
    call.attempt === 0
      ? `the send to "${call.topic.userTopic}" was aborted before its first attempt`
      : `the send to "${call.topic.userTopic}" was aborted; the message may have been stored all the same`
  return new RocketMqError('ABORTED', text, { cause: call.signal?.reason })
}

export function brokerNotFound(brokerName: string, topic: string): RocketMqError {
  return new RocketMqError('BROKER_NOT_FOUND', `no route names a master of broker "${brokerName}"`, {
    details: { brokerName, topic },
  })
}

/** The time of the whole send is up while it looks for a route, a broker or a connection. */
export function timedOut(call: SendCall): RocketMqError {
  const text = `the send to "${call.topic.userTopic}" took longer than its time-out; ${call.attempt} attempts were made`
  return new RocketMqError('REQUEST_TIMEOUT', text, {
    details: { topic: call.topic.userTopic, attempts: call.attempt },
  })
}

/** The time of the whole send is up before there was room for it. */
export function tooManyRequests(call: SendCall, limiter: SendLimiter): RocketMqError {
  const { inFlightMessages, inFlightBytes, waitingMessages } = limiter
  const state = `${inFlightMessages} messages (${inFlightBytes} bytes) are in flight, ${waitingMessages} more wait`
  const text = `the send to "${call.topic.userTopic}" found no room within its time-out: ${state}`
  return new RocketMqError('TOO_MANY_REQUESTS', text, { details: { inFlightMessages, inFlightBytes, waitingMessages } })
}

/**
 * The error of a send that ends: `SEND_FAILED` when it could try again and did or might have, else `error` itself.
 */
export function sendFailure(call: SendCall, error: RocketMqError): RocketMqError {
  const { failures, chooser } = call
  if (chooser !== undefined || failures === undefined) return error
  const attempts = failures.map(failure => ({
    brokerName: failure.brokerName,
    address: failure.address,
    code: failure.error.code,
    responseCode: failure.error.details.responseCode,
    message: failure.error.message,
  }))
  const told = attempts.map(({ brokerName, message }) => `${brokerName ?? 'no broker'} (${message})`).join('; ')
  const count = attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`
  const text = `the message to "${call.topic.userTopic}" was not sent in ${count}: ${told}`
  return new RocketMqError('SEND_FAILED', text, {
    cause: failures.at(-1)?.error ?? error,
    details: { attempts, topic: call.topic.userTopic, messageId: call.messageId },
  })
}
