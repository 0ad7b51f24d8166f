import type { ReceivedMessage } from '../consume/received-message.ts'
import type { ProcessQueue } from '../process-queue/process-queue.ts'
import type { ConsumeHookContext, ConsumeReturnType } from './consume-hooks.ts'
import type { HandlerOutcome } from './consume-service.ts'

/** Whether a handler returned something to wait for. */
export function isPromise(
  outcome: HandlerOutcome | PromiseLike<HandlerOutcome>,
): outcome is PromiseLike<HandlerOutcome> {
  return typeof outcome === 'object' && outcome !== null && typeof (outcome as PromiseLike<unknown>).then === 'function'
}

/** How hooks hear that a call ended. */
export function returnTypeOf(isSuccess: boolean, error: unknown, isLate: boolean): ConsumeReturnType {
  if (error !== undefined) return 'EXCEPTION'
  if (isLate) return 'TIME_OUT'
  return isSuccess ? 'SUCCESS' : 'FAILED'
}

/** What hooks see of a call that begins. */
export function newHookContext(
  group: string,
  processQueue: ProcessQueue,
  messages: readonly ReceivedMessage[],
): ConsumeHookContext {
  return {
    group,
    queue: processQueue.queue,
    messages,
    success: false,
    status: undefined,
    returnType: undefined,
    error: undefined,
    state: undefined,
  }
}
