import type { Deferred } from '@rocketmq-ts/runtime'
import type { DeliveredMessage } from '../consume/received-message.ts'

/** Options of `consumer.messages()`. */
export interface IterateOptions {
  /** Ends the iteration: the loop stops without an error. */
  signal?: AbortSignal
  /**
   * Acknowledges each message when the next one is asked for, so that the loop's body needs no `ack`. Default false.
   */
  autoAck?: boolean
}

/** Someone who waits for a message. */
export type Waiter = Deferred<IteratorResult<DeliveredMessage, undefined>>

export const endOfIteration: IteratorResult<DeliveredMessage, undefined> = { done: true, value: undefined }

/** Where iterators get their messages. */
export interface MessageSource {
  readonly isStopped: boolean
  /** The next message, or undefined when one must be waited for. */
  take(): DeliveredMessage | undefined
  /** The place of one who waits for a message; it resolves with {@link endOfIteration} when the source stops. */
  wait(): Waiter
  /** Ends a wait without a message. */
  leave(waiter: Waiter): void
  /** A message was left without a word. */
  giveBack(message: DeliveredMessage): void
}

/** One `for await` over the messages. */
export class MessageIterator implements AsyncIterableIterator<DeliveredMessage> {
  readonly #source: MessageSource
  readonly #signal: AbortSignal | undefined
  readonly #autoAck: boolean
  readonly #waiting = new Set<Waiter>()
  readonly #onAbort = () => this.#end()
  #last: DeliveredMessage | undefined
  #isEnded = false

  constructor(source: MessageSource, options: IterateOptions) {
    this.#source = source
    this.#signal = options.signal
    this.#autoAck = options.autoAck ?? false
    if (this.#signal?.aborted) this.#isEnded = true
    else this.#signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<DeliveredMessage, undefined>> {
    if (this.#autoAck) this.#last?.ack()
    this.#last = undefined
    if (this.#isEnded || this.#source.isStopped) {
      this.#end()
      return Promise.resolve(endOfIteration)
    }
    const message = this.#source.take()
    if (message === undefined) return this.#wait()
    this.#last = message
    return Promise.resolve({ done: false, value: message })
  }

  /** The loop was left: a message that was given last and not acknowledged goes to the next one who iterates. */
  return(): Promise<IteratorResult<DeliveredMessage, undefined>> {
    this.#end()
    if (this.#last !== undefined) this.#source.giveBack(this.#last)
    this.#last = undefined
    return Promise.resolve(endOfIteration)
  }

  async #wait(): Promise<IteratorResult<DeliveredMessage, undefined>> {
    const waiter = this.#source.wait()
    this.#waiting.add(waiter)
    const result = await waiter.promise
    this.#waiting.delete(waiter)
    if (result.done) this.#end()
    else this.#last = result.value
    return result
  }

  #end(): void {
    this.#isEnded = true
    this.#signal?.removeEventListener('abort', this.#onAbort)
    for (const waiter of this.#waiting) this.#source.leave(waiter)
    this.#waiting.clear()
  }
}
