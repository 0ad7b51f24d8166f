import type { Connection } from '@rocketmq-ts/remoting'
import { assert, type Clock, type TimingWheel } from '@rocketmq-ts/runtime'
import type { PullRequest } from './pull-request.ts'

/** The pulls of one queue that wait. Order means nothing, so that taking one out is a swap with the last. */
export class HeldQueue {
  readonly topic: string
  readonly queueId: number
  readonly pulls: PullRequest[] = []

  constructor(topic: string, queueId: number) {
    this.topic = topic
    this.queueId = queueId
  }
}

/**
 * Pulls that found nothing and wait for a message, under topic and queue: no polling. Each has its deadline in one timing
 * wheel. At most `limit` pulls wait; what happens to one more is its handler's decision ({@link HeldPulls.isFull}).
 *
 * A pull leaves in one of three ways: a message that its filter lets through arrives, its deadline passes, or its
 * connection closes. In the first two it is run again, by `rerun`, without being held a second time.
 */
export class HeldPulls {
  readonly #wheel: TimingWheel
  readonly #clock: Clock
  readonly #limit: () => number
  readonly #rerun: (pull: PullRequest) => void
  readonly #topics = new Map<string, Map<number, HeldQueue>>()
  readonly #connections = new Map<Connection, Set<PullRequest>>()
  #size = 0

  constructor(wheel: TimingWheel, clock: Clock, limit: () => number, rerun: (pull: PullRequest) => void) {
    this.#wheel = wheel
    this.#clock = clock
    this.#limit = limit
    this.#rerun = rerun
  }

  /** Pulls that wait. */
  get size(): number {
    return this.#size
  }

  get isFull(): boolean {
    return this.#size >= this.#limit()
  }

  /** Lets `pull` wait for at most `delayMs`. */
  hold(pull: PullRequest, delayMs: number): void {
    assert(pull.heldQueue === undefined, 'a pull waits once at a time')
    const queue = this.#queueOf(pull.topic, pull.queueId)
    pull.heldQueue = queue
    pull.heldIndex = queue.pulls.length
    queue.pulls.push(pull)
    let ofConnection = this.#connections.get(pull.connection)
    if (ofConnection === undefined) {
      ofConnection = new Set()
      this.#connections.set(pull.connection, ofConnection)
    }
    ofConnection.add(pull)
    this.#size++
    pull.isHurried = false
    pull.deadline = this.#clock.monotonic() + delayMs
    this.#wheel.schedule(delayMs, pull)
  }

  /** The pulls that wait for that queue; undefined when none does. For the arrival of messages. */
  find(topic: string, queueId: number): HeldQueue | undefined {
    if (this.#size === 0) return undefined
    return this.#topics.get(topic)?.get(queueId)
  }

  /** Takes `pull` out and runs it again. */
  wake(pull: PullRequest): void {
    this.#remove(pull)
    this.#rerun(pull)
  }

  /** Brings the deadline of a waiting pull forward to `delayMs` from now, unless it is nearer anyway. */
  hurry(pull: PullRequest, delayMs: number): void {
    if (pull.deadline <= this.#clock.monotonic() + delayMs) return
    this.#wheel.cancel(pull)
    this.#wheel.schedule(delayMs, pull)
  }

  /** Forgets what a closed connection waits for. */
  connectionClosed(connection: Connection): void {
    const pulls = this.#connections.get(connection)
    if (pulls === undefined) return
    for (const pull of [...pulls]) this.#remove(pull)
  }

  /** Forgets everything. */
  clear(): void {
    for (const connection of [...this.#connections.keys()]) this.connectionClosed(connection)
  }

  #queueOf(topic: string, queueId: number): HeldQueue {
    let queues = this.#topics.get(topic)
    if (queues === undefined) {
      queues = new Map()
      this.#topics.set(topic, queues)
    }
    let queue = queues.get(queueId)
    if (queue === undefined) {
      queue = new HeldQueue(topic, queueId)
      queues.set(queueId, queue)
    }
    return queue
  }

  #remove(pull: PullRequest): void {
    const queue = pull.heldQueue
    assert(queue !== undefined, 'a pull that leaves has waited')
    this.#wheel.cancel(pull)
    const last = queue.pulls.pop()
    if (last !== undefined && last !== pull) {
      queue.pulls[pull.heldIndex] = last
      last.heldIndex = pull.heldIndex
    }
    pull.heldQueue = undefined
    this.#size--
    if (queue.pulls.length === 0) this.#dropQueue(queue)
    const ofConnection = this.#connections.get(pull.connection)
    ofConnection?.delete(pull)
    if (ofConnection?.size === 0) this.#connections.delete(pull.connection)
  }

  #dropQueue(queue: HeldQueue): void {
    const queues = this.#topics.get(queue.topic)
    queues?.delete(queue.queueId)
    if (queues?.size === 0) this.#topics.delete(queue.topic)
  }
}
