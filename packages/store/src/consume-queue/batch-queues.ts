import type { SegmentedLogContext } from '../segment/segmented-log.ts'
import { BatchConsumeQueue } from './batch-consume-queue.ts'

/** The batch consume queues of a store, few as a rule. */
export class BatchQueues {
  readonly #context: SegmentedLogContext
  readonly #directory: string
  readonly #fileSizeBytes: number
  readonly #isBatchTopic: (topic: string) => boolean
  readonly #topics = new Map<string, Map<number, BatchConsumeQueue>>()

  /** `isBatchTopic` tells a topic's kind by its configuration; a topic with a directory here is one in any case. */
  constructor(
    context: SegmentedLogContext,
    directory: string,
    fileSizeBytes: number,
    isBatchTopic: (topic: string) => boolean,
  ) {
    this.#context = context
    this.#directory = directory
    this.#fileSizeBytes = fileSizeBytes
    this.#isBatchTopic = isBatchTopic
  }

  get isEmpty(): boolean {
    return this.#topics.size === 0
  }

  isBatchTopic(topic: string): boolean {
    return (this.#topics.size > 0 && this.#topics.has(topic)) || this.#isBatchTopic(topic)
  }

  get(topic: string, queueId: number): BatchConsumeQueue | undefined {
    return this.#topics.get(topic)?.get(queueId)
  }

  getOrCreate(topic: string, queueId: number): BatchConsumeQueue {
    let queues = this.#topics.get(topic)
    if (queues === undefined) {
      queues = new Map()
      this.#topics.set(topic, queues)
    }
    let queue = queues.get(queueId)
    if (queue === undefined) {
      const directory = `${this.#directory}/${topic}/${queueId}`
      queue = new BatchConsumeQueue(this.#context, directory, topic, queueId, this.#fileSizeBytes)
      queues.set(queueId, queue)
    }
    return queue
  }

  *all(): IterableIterator<BatchConsumeQueue> {
    for (const queues of this.#topics.values()) yield* queues.values()
  }

  queuesOf(topic: string): BatchConsumeQueue[] {
    return [...(this.#topics.get(topic)?.values() ?? [])]
  }

  topics(): IterableIterator<string> {
    return this.#topics.keys()
  }

  /** Loads and recovers what is on disk. */
  load(): void {
    for (const topic of this.#context.disk.list(this.#directory) ?? []) {
      if (!topic.isDirectory) continue
      for (const entry of this.#context.disk.list(`${this.#directory}/${topic.name}`) ?? []) {
        if (entry.isDirectory && /^\d{1,9}$/.test(entry.name)) {
          this.getOrCreate(topic.name, Number(entry.name)).recover()
        }
      }
    }
  }

  /** Removes a topic's queues with their files. */
  removeTopic(topic: string): void {
    for (const queue of this.queuesOf(topic)) queue.log.destroy()
    this.#topics.delete(topic)
    this.#context.disk.removeDirectory(`${this.#directory}/${topic}`)
  }
}
