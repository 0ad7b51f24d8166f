import type { Clock } from '@rocketmq-ts/runtime'
import { type Logger, RateLimitedLog, type Timer } from '@rocketmq-ts/runtime'
import type { MessageModel } from '../consume/consumer-registration.ts'
import type { ReceivedMessage } from '../consume/received-message.ts'
import type { SendBack } from '../consume/send-back.ts'
import type { OffsetStore } from '../offset-store/offset-store.ts'
import type { ProcessQueue } from '../process-queue/process-queue.ts'

/** How long a message that could not be sent back waits before it is given to the user again. */
const localRetryDelayMs = 5000

/** Messages to give to the user again. */
export interface LocalRetry {
  readonly processQueue: ProcessQueue
  readonly messages: ReceivedMessage[]
}

export interface MessageSettlerOptions {
  clock: Clock
  logger: Logger
  group: string
  messageModel: MessageModel
  sendBack: SendBack
  offsets: OffsetStore
  /** After messages of a queue were finished: its pulls may go on. */
  onFinished(processQueue: ProcessQueue): void
}

/**
 * What follows from the user's verdict on messages: the group's offset, the retry, the dead letter.
 * Source: ConsumeMessageConcurrentlyService#processConsumeResult, 5.3.x
 */
export class MessageSettler {
  /** Takes messages whose send-back failed, five seconds later. Set by the consume service. */
  onLocalRetry: (retry: LocalRetry) => void = () => {}
  readonly #options: MessageSettlerOptions
  readonly #log: RateLimitedLog
  #waiting: { atMs: number; retry: LocalRetry }[] = []
  #timer: Timer | undefined
  #isStopped = false

  constructor(options: MessageSettlerOptions) {
    this.#options = options
    this.#log = new RateLimitedLog(options.clock, options.logger)
  }

  /** These messages are done, whatever came of them. Does nothing for a queue that was given up. */
  finish(processQueue: ProcessQueue, messages: readonly ReceivedMessage[], from = 0, to = messages.length): void {
    if (processQueue.dropped) return
    for (let i = from; i < to; i++) processQueue.finish(messages[i]!)
    this.#finished(processQueue)
  }

  /** As {@link finish} for one message; false when it was finished before or the queue was given up. */
  finishOne(processQueue: ProcessQueue, message: ReceivedMessage): boolean {
    if (processQueue.dropped || !processQueue.finish(message)) return false
    this.#finished(processQueue)
    return true
  }

  #finished(processQueue: ProcessQueue): void {
    this.#options.offsets.update(processQueue.key, processQueue.queue, processQueue.committableOffset, true)
    this.#options.onFinished(processQueue)
  }

  /**
   * These messages failed. Clustering: each is sent back to the broker for a later retry, and what can't be sent back is
   * given to the user again after five seconds. Broadcasting: they are dropped. Resolves when all are settled; never rejects.
   */
  async fail(processQueue: ProcessQueue, messages: readonly ReceivedMessage[], delayLevel: number): Promise<void> {
    if (processQueue.dropped || messages.length === 0) return
    if (this.#options.messageModel === 'BROADCASTING') {
      const { queue } = processQueue
      this.#log.warn('dropped', { ...queue, count: messages.length }, 'failed messages of a broadcast dropped')
      this.finish(processQueue, messages)
      return
    }
    // One that was expelled by the consume time-out has been sent back already.
    const mine = messages.filter(message => processQueue.contains(message))
    const outcomes = await Promise.all(mine.map(message => this.sendBack(message, delayLevel)))
    if (processQueue.dropped) return
    const again: ReceivedMessage[] = []
    for (const [i, message] of mine.entries()) {
      if (outcomes[i]) {
        processQueue.finish(message)
      } else {
        message.reconsumeTimes++
        again.push(message)
      }
    }
    if (again.length < mine.length) this.#finished(processQueue)
    if (again.length > 0) this.#retryLocally({ processQueue, messages: again })
  }

  /** Sends one message back; false when neither way worked. Never rejects. */
  async sendBack(message: ReceivedMessage, delayLevel: number): Promise<boolean> {
    try {
      await this.#options.sendBack.send(message, delayLevel)
      return true
    } catch (error) {
      const { queue } = message.batch.from
      this.#log.warn('sendBack', { ...queue, queueOffset: message.queueOffset, err: error }, 'message not sent back')
      return false
    }
  }

  /** Forgets local retries; their messages stay unfinished, so the group's offset stays below them. */
  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
    this.#timer = undefined
    this.#waiting = []
  }

  #retryLocally(retry: LocalRetry): void {
    if (this.#isStopped) return
    this.#waiting.push({ atMs: this.#options.clock.monotonic() + localRetryDelayMs, retry })
    this.#schedule()
  }

  #schedule(): void {
    const next = this.#waiting[0]
    if (this.#timer !== undefined || next === undefined) return
    const delayMs = Math.max(0, next.atMs - this.#options.clock.monotonic())
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#timer = undefined
      const now = this.#options.clock.monotonic()
      while (this.#waiting.length > 0 && this.#waiting[0]!.atMs <= now) {
        const { retry } = this.#waiting.shift()!
        if (!retry.processQueue.dropped) this.onLocalRetry(retry)
      }
      this.#schedule()
    }, delayMs)
  }
}
