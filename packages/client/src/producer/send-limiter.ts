import { RocketMqError } from '@rocketmq-ts/runtime'

/** Somebody who wants to send. */
export interface SendLimiterClient {
  /** Bytes of the body, at least 1. */
  readonly weight: number
  /** False once the wait is over for another reason (time-out, abort). */
  readonly isWaiting: boolean
  /** The turn has come: count and bytes are taken. Must not throw. */
  onAdmitted(): void
}

/**
 * Bounds what one producer has in flight, by count and by bytes. Whoever doesn't fit waits in line; waiting is bounded by
 * count, and by the waiter's own time-out. A body larger than the byte bound goes alone.
 * Source: DefaultMQProducerImpl#semaphoreAsyncSendNum, semaphoreAsyncSendSize, 5.3.x
 */
export class SendLimiter {
  readonly #messagesMax: number
  readonly #bytesMax: number
  readonly #waitingMax: number
  #messages = 0
  #bytes = 0
  /** Waiters from `#head` on; those before it have left. */
  #line: SendLimiterClient[] = []
  #head = 0
  #waiting = 0
  #isAdmitting = false

  constructor(limits: { messagesMax: number; bytesMax: number; waitingMax: number }) {
    this.#messagesMax = limits.messagesMax
    this.#bytesMax = limits.bytesMax
    this.#waitingMax = limits.waitingMax
  }

  get inFlightMessages(): number {
    return this.#messages
  }

  get inFlightBytes(): number {
    return this.#bytes
  }

  get waitingMessages(): number {
    return this.#waiting
  }

  /** Takes the room for one message at once; false when it must wait. */
  tryAcquire(weight: number): boolean {
    if (this.#waiting > 0 || !this.#fits(weight)) return false
    this.#messages++
    this.#bytes += weight
    return true
  }

  /** Puts `client` in line. Throws `TOO_MANY_REQUESTS` when the line is full. */
  wait(client: SendLimiterClient): void {
    if (this.#waiting >= this.#waitingMax) {
      throw new RocketMqError(
        'TOO_MANY_REQUESTS',
        `${this.#messages} messages are in flight and ${this.#waiting} wait already; slow down, or raise waitingMessagesMax`,
      )
    }
    this.#line.push(client)
    this.#waiting++
  }

  /** A waiter left the line by itself; `isWaiting` is false by now. */
  leave(): void {
    this.#waiting--
    if (this.#waiting === 0) this.#clearLine()
    else this.#admit()
  }

  /** A message was answered or given up. */
  release(weight: number): void {
    this.#messages--
    this.#bytes -= weight
    if (this.#waiting > 0) this.#admit()
  }

  #fits(weight: number): boolean {
    if (this.#messages === 0) return true
    return this.#messages < this.#messagesMax && this.#bytes + weight <= this.#bytesMax
  }

  #admit(): void {
    // An admitted client may fail at once and release: the loop below goes on with it, instead of a recursion.
    if (this.#isAdmitting) return
    this.#isAdmitting = true
    while (this.#head < this.#line.length) {
      const client = this.#line[this.#head]!
      if (!client.isWaiting) {
        this.#head++
        continue
      }
      if (!this.#fits(client.weight)) break
      this.#head++
      this.#waiting--
      this.#messages++
      this.#bytes += client.weight
      client.onAdmitted()
    }
    this.#isAdmitting = false
    if (this.#waiting === 0) this.#clearLine()
    else if (this.#head > 1024 && this.#head * 2 > this.#line.length) {
      this.#line = this.#line.slice(this.#head)
      this.#head = 0
    }
  }

  #clearLine(): void {
    if (this.#isAdmitting) return
    this.#line = []
    this.#head = 0
  }
}
