import type { MessageQueue } from '@rocketmq-ts/model'
import type { ReceivedMessage } from '../consume/received-message.ts'
import type { ProcessQueue } from '../process-queue/process-queue.ts'
import type { ConsumeStatus } from './consume-hooks.ts'

/**
 * Handles a batch of messages of one queue (one message unless `consumeMessageBatchMaxSize` is raised). Returning nothing
 * or `CONSUME_SUCCESS` means done; `RECONSUME_LATER`, a throw or a rejection means again later. May return a promise. Of an
 * orderly consumer, a queue's next batch waits for this one, and a failed batch comes again before anything behind it.
 */
export type MessageHandler = (
  messages: readonly ReceivedMessage[],
  context: ConsumeContext,
) => HandlerOutcome | PromiseLike<HandlerOutcome>

// biome-ignore lint/suspicious/noConfusingVoidType: a handler without return statement must fit
export type HandlerOutcome = ConsumeStatus | void

/** What a handler may look at and set during one call. */
export class ConsumeContext {
  readonly queue: MessageQueue
  /**
   * Delay of failed messages: 0 lets the broker choose, longer with each retry; 1 to 18 is a fixed level; -1 sends them
   * straight to the dead letters.
   */
  delayLevelWhenNextConsume = 0
  /** Index of the last message that succeeded; those after it are retried although the call succeeded. */
  ackIndex = Number.MAX_SAFE_INTEGER
  /**
   * Orderly only: pause of the queue before failed messages come again, ms, 10 to 30000; -1 (default) is the consumer's
   * `suspendCurrentQueueTimeMs`.
   */
  suspendCurrentQueueTimeMs = -1
  /**
   * Orderly only. False: this batch is not committed by success, but by a later `COMMIT`, and `ROLLBACK` brings it again.
   * What is not committed counts against the flow-control limits.
   */
  autoCommit = true
  #controller: AbortController | undefined

  constructor(queue: MessageQueue) {
    this.queue = queue
  }

  /** Aborted when the result of this call will not count any more: consume time-out, or the consumer is gone. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  /** Called by the consume service. */
  abort(reason: unknown): void {
    this.#controller?.abort(reason)
  }
}

/** Hands messages to the user: concurrently to a handler, or through an iterator. */
export interface ConsumeService {
  /** New messages are in `processQueue`. Never throws. */
  ready(processQueue: ProcessQueue): void
  /** Sends back what has been with the user for longer than the consume time-out. Never rejects. */
  expire(): Promise<void>
  /**
   * Hands nothing out any more; resolves when the user is done with everything handed out, but after `timeoutMs` at the
   * latest. Never rejects.
   */
  stop(timeoutMs: number): Promise<void>
}

/** A consume service that keeps the order of each queue. */
export interface OrderedService extends ConsumeService {
  /** True while a handler works on messages of the queue with this key, even if the queue was given up meanwhile. */
  isWorking(key: string): boolean
  /** Resolves to true when no handler works on the queue any more, to false after `timeoutMs`. */
  quiet(key: string, timeoutMs: number): Promise<boolean>
  /** The queue was given up: a handler at work hears of it. */
  forget(processQueue: ProcessQueue): void
}
