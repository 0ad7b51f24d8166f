import { type MessageQueue, messageQueueKey } from '@rocketmq-ts/model'
import { lockBatchMq, lockBatchRequestBody, lockBatchResponseBody, unlockBatchMq } from '@rocketmq-ts/protocol'
import { type Logger, RateLimitedLog, type Timer } from '@rocketmq-ts/runtime'
import type { ClientInstance } from '../client-instance.ts'
import type { ProcessQueue } from '../process-queue/process-queue.ts'
import type { QueueTable } from '../process-queue/queue-table.ts'

const requestTimeoutMs = 1000
/** Source: ConsumeMessageOrderlyService#start, ProcessQueue#REBALANCE_LOCK_INTERVAL, 5.3.x */
const firstRenewalMs = 1000
const renewalMs = 20_000
/** After a renewal that didn't reach its broker. Java waits for the next one, by which time its locks have expired. */
const retryMs = 2000
/**
 * A broker keeps a lock for so long after its last renewal. Within, nobody else can have had the queue, so that its messages
 * are still where this client believes them. Source: RebalanceLockManager#REBALANCE_LOCK_MAX_LIVE_TIME, 5.3.x
 */
const brokerLockLifetimeMs = 60_000

export interface QueueLockerOptions {
  instance: ClientInstance
  logger: Logger
  /** As on the wire. */
  group: string
  queues: QueueTable
  /** A lock that had expired was renewed in time: the queue may go on. */
  onRegained(processQueue: ProcessQueue): void
  /** Somebody else has the queue, or may have had it: it must be given up, without a commit. */
  onLost(processQueue: ProcessQueue): void
}

/**
 * Keeps the broker locks of the queues that an orderly consumer holds. Each lock is stamped with the time at which its request
 * was sent, so that this client never believes in it for longer than the broker. Source: RebalanceImpl#lockAll, 5.3.x
 */
export class QueueLocker {
  readonly #options: QueueLockerOptions
  readonly #log: RateLimitedLog
  #timer: Timer | undefined
  #renewing: Promise<void> | undefined
  #isStopped = false

  constructor(options: QueueLockerOptions) {
    this.#options = options
    this.#log = new RateLimitedLog(options.instance.clock, options.logger)
  }

  /** Begins renewals. */
  start(): void {
    this.#schedule(firstRenewalMs)
  }

  /** Ends renewals; resolves when a running one has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    await this.#renewing
  }

  /** Renews now, unless that is being done. For a queue whose lock was found expired. */
  wake(): void {
    if (this.#renewing === undefined) this.#schedule(0)
  }

  /**
   * Locks a queue that is not held yet. Resolves to when, on the monotonic clock, or undefined when another client has it.
   * Rejects when the broker can't be asked.
   */
  async lock(queue: MessageQueue): Promise<number | undefined> {
    const { instance } = this.#options
    const address = await instance.masterOf(queue)
    const askedMs = instance.clock.monotonic()
    const granted = await this.#ask(address, [queue])
    return granted.has(messageQueueKey(queue)) ? askedMs : undefined
  }

  /** Frees queues. Resolves when the brokers have answered; a failure is logged, and the lock then expires by itself. */
  async unlock(queues: readonly MessageQueue[]): Promise<void> {
    const { instance } = this.#options
    const byAddress = await this.#byAddress(queues)
    await Promise.all(
      [...byAddress].map(async ([address, mqSet]) => {
        try {
          await instance.rpc.call(unlockBatchMq, address, {}, { body: this.#body(mqSet), timeoutMs: requestTimeoutMs })
        } catch (error) {
          this.#log.warn(`unlock ${address}`, { address, err: error }, 'queues not unlocked; their locks expire')
        }
      }),
    )
  }

  #schedule(delayMs: number): void {
    if (this.#isStopped) return
    this.#timer?.cancel()
    this.#timer = this.#options.instance.clock.setTimeout(() => {
      this.#renewing = this.#renewAll().then(isComplete => {
        this.#renewing = undefined
        this.#schedule(isComplete ? renewalMs : retryMs)
      })
    }, delayMs)
  }

  /** One round over all held queues; false when a broker didn't answer. Never rejects. */
  async #renewAll(): Promise<boolean> {
    // A queue that is being given up is let go with its handler, or by force; its lock is not prolonged.
    const held = [...this.#options.queues.values()].filter(({ isDraining }) => !isDraining)
    const byAddress = await this.#byAddress(held.map(({ queue }) => queue))
    const outcomes = await Promise.all([...byAddress].map(([address, queues]) => this.#renew(address, queues)))
    const now = this.#options.instance.clock.monotonic()
    for (const processQueue of held) {
      if (!processQueue.dropped && now - processQueue.lockedMs > brokerLockLifetimeMs) this.#lose(processQueue)
    }
    const asked = [...byAddress.values()].reduce((sum, queues) => sum + queues.length, 0)
    return asked === held.length && outcomes.every(isAnswered => isAnswered)
  }

  async #renew(address: string, mqSet: readonly MessageQueue[]): Promise<boolean> {
    const { instance, queues } = this.#options
    const { clock } = instance
    const askedMs = clock.monotonic()
    const asked = mqSet.map(queue => queues.get(messageQueueKey(queue)))
    let granted: Set<string>
    try {
      granted = await this.#ask(address, mqSet)
    } catch (error) {
      this.#log.warn(address, { address, err: error }, 'queue locks not renewed; trying again')
      return false
    }
    for (const processQueue of asked) {
      if (processQueue === undefined || processQueue.dropped || processQueue.isDraining) continue
      const wasOwned = processQueue.isOwned(clock.monotonic())
      if (!granted.has(processQueue.key) || askedMs - processQueue.lockedMs > brokerLockLifetimeMs) {
        this.#lose(processQueue)
        continue
      }
      processQueue.lockedAt(askedMs, clock.now())
      if (!wasOwned) this.#options.onRegained(processQueue)
    }
    return true
  }

  #lose(processQueue: ProcessQueue): void {
    processQueue.locked = false
    this.#log.warn(processQueue.key, { ...processQueue.queue }, 'queue lock lost; the queue is given up')
    this.#options.onLost(processQueue)
  }

  async #ask(address: string, mqSet: readonly MessageQueue[]): Promise<Set<string>> {
    const { rpc } = this.#options.instance
    const options = { body: this.#body(mqSet), timeoutMs: requestTimeoutMs }
    const answer = await rpc.call(lockBatchMq, address, {}, options)
    if (answer.body === undefined) return new Set()
    return new Set(lockBatchResponseBody.decode(answer.body).lockOKMQSet.map(messageQueueKey))
  }

  #body(mqSet: readonly MessageQueue[]): Buffer {
    const { group, instance } = this.#options
    return lockBatchRequestBody.encode({
      consumerGroup: group,
      clientId: instance.clientId,
      onlyThisBroker: false,
      mqSet: [...mqSet],
    })
  }

  /** Queues by the address of their master; those whose master is not known are left out. */
  async #byAddress(queues: readonly MessageQueue[]): Promise<Map<string, MessageQueue[]>> {
    const byAddress = new Map<string, MessageQueue[]>()
    for (const queue of queues) {
      try {
        const address = await this.#options.instance.masterOf(queue)
        const others = byAddress.get(address)
        if (others === undefined) byAddress.set(address, [queue])
        else others.push(queue)
      } catch (error) {
        this.#log.warn(queue.brokerName, { ...queue, err: error }, 'no master to lock a queue at')
      }
    }
    return byAddress
  }
}
