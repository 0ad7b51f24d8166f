import type { MessageQueue } from '@rocketmq-ts/model'
import { type Clock, type Logger, RateLimitedLog } from '@rocketmq-ts/runtime'
import type { OffsetStore } from './offset-store.ts'

/**
 * A store that the user brought, with its promise kept for it: only `load` and `stored` fail, everything else is logged.
 * Without it a throwing store would end the process from within a handler's continuation.
 */
export class GuardedOffsetStore implements OffsetStore {
  readonly #inner: OffsetStore
  readonly #log: RateLimitedLog

  constructor(inner: OffsetStore, clock: Clock, logger: Logger) {
    this.#inner = inner
    this.#log = new RateLimitedLog(clock, logger)
  }

  async load(): Promise<void> {
    await this.#inner.load()
  }

  update(key: string, queue: MessageQueue, offset: number, increaseOnly: boolean): void {
    this.#try('update', () => this.#inner.update(key, queue, offset, increaseOnly))
  }

  updateAndFreeze(key: string, queue: MessageQueue, offset: number): void {
    this.#try('updateAndFreeze', () => this.#inner.updateAndFreeze(key, queue, offset))
  }

  memory(key: string): number | undefined {
    return this.#try('memory', () => this.#inner.memory(key))
  }

  async stored(key: string, queue: MessageQueue): Promise<number | undefined> {
    return await this.#inner.stored(key, queue)
  }

  async persistAll(queues: Iterable<MessageQueue>, options?: { confirmed?: boolean }): Promise<void> {
    try {
      await this.#inner.persistAll(queues, options)
    } catch (error) {
      this.#failed('persistAll', error)
    }
  }

  async persist(key: string, queue: MessageQueue): Promise<void> {
    try {
      await this.#inner.persist(key, queue)
    } catch (error) {
      this.#failed('persist', error)
    }
  }

  remove(key: string): void {
    this.#try('remove', () => this.#inner.remove(key))
  }

  #try<T>(operation: string, action: () => T): T | undefined {
    try {
      return action()
    } catch (error) {
      this.#failed(operation, error)
      return undefined
    }
  }

  #failed(operation: string, error: unknown): void {
    this.#log.error(operation, { operation, err: error }, 'the offset store that was given failed')
  }
}
