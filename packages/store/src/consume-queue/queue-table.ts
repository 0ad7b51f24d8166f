import { javaHashCode } from '@rocketmq-ts/model'
import { SegmentedLog, type SegmentedLogContext } from '../segment/segmented-log.ts'
import { ConsumeQueue, type ConsumeQueueContext } from './consume-queue.ts'
import { ConsumeQueueExt } from './consume-queue-ext.ts'
import { ENTRY_BYTES } from './entries.ts'

export interface QueueTableOptions {
  /** The store's root. */
  readonly directory: string
  readonly fileSizeBytes: number
  /** 0: without ext. */
  readonly extFileSizeBytes: number
}

/** Memory for entries of all queues together, about. */
const RECENT_ENTRIES_BYTES = 16 * 1024 * 1024
const RECENT_ENTRIES_PER_QUEUE_MAX = 8192
const RECENT_ENTRIES_PER_QUEUE_MIN = 32

/** Whether a topic can be the name of a directory of its own. What peers send is checked before; what lies in a log is not. */
export function isDirectoryName(topic: string): boolean {
  return topic !== '' && topic !== '.' && topic !== '..' && !/[/\\\0]/.test(topic)
}

/** All consume queues of a store, by topic and queue id. */
export class QueueTable {
  readonly #topics = new Map<string, ConsumeQueue[]>()
  readonly #segments: SegmentedLogContext
  readonly #queues: ConsumeQueueContext
  readonly #options: QueueTableOptions
  #count = 0

  constructor(segments: SegmentedLogContext, queues: ConsumeQueueContext, options: QueueTableOptions) {
    this.#segments = segments
    this.#queues = queues
    this.#options = options
    this.#limitRecent()
  }

  get count(): number {
    return this.#count
  }

  get(topic: string, queueId: number): ConsumeQueue | undefined {
    const queues = this.#topics.get(topic)
    return queues === undefined ? undefined : queues[queueId]
  }

  /** Makes an empty queue when there is none; its directory appears with its first written entry. */
  getOrCreate(topic: string, queueId: number): ConsumeQueue {
    let queues = this.#topics.get(topic)
    if (queues === undefined) {
      queues = []
      this.#topics.set(topic, queues)
    }
    const existing = queues[queueId]
    if (existing !== undefined) return existing
    const queue = this.#create(topic, queueId)
    queues[queueId] = queue
    this.#count++
    this.#limitRecent()
    return queue
  }

  /** Every queue of every topic. */
  *all(): IterableIterator<ConsumeQueue> {
    for (const queues of this.#topics.values()) {
      for (const queue of Object.values(queues)) yield queue
    }
  }

  /** Java hash of `topic#`. */
  topicHash(topic: string): number {
    for (const queue of Object.values(this.#topics.get(topic) ?? [])) return queue.topicHash
    return javaHashCode(`${topic}#`)
  }

  topics(): IterableIterator<string> {
    return this.#topics.keys()
  }

  queuesOf(topic: string): ConsumeQueue[] {
    return Object.values(this.#topics.get(topic) ?? [])
  }

  /** Takes a queue out of the table; its files are the caller's. */
  remove(queue: ConsumeQueue): void {
    const queues = this.#topics.get(queue.topic)
    if (queues === undefined || queues[queue.queueId] !== queue) return
    delete queues[queue.queueId]
    this.#count--
    if (Object.keys(queues).length === 0) this.#topics.delete(queue.topic)
    this.#limitRecent()
  }

  #create(topic: string, queueId: number): ConsumeQueue {
    const { directory, fileSizeBytes, extFileSizeBytes } = this.#options
    const log = new SegmentedLog(this.#segments, `${directory}/consumequeue/${topic}/${queueId}`, fileSizeBytes)
    const ext =
      extFileSizeBytes === 0
        ? undefined
        : new ConsumeQueueExt(this.#segments, `${directory}/consumequeue_ext/${topic}/${queueId}`, extFileSizeBytes)
    return new ConsumeQueue(this.#queues, topic, queueId, javaHashCode(`${topic}#`), log, ext)
  }

  #limitRecent(): void {
    const share = Math.floor(RECENT_ENTRIES_BYTES / ENTRY_BYTES / Math.max(1, this.#count))
    this.#queues.recentEntriesMax = Math.min(
      RECENT_ENTRIES_PER_QUEUE_MAX,
      Math.max(RECENT_ENTRIES_PER_QUEUE_MIN, 2 ** Math.floor(Math.log2(Math.max(1, share)))),
    )
  }
}

/**
 * Stands for what the files of all queues hold: which queues there are, where each begins and ends. −2 when the files
 * of one have a gap, which no stored fingerprint is.
 */
export function fingerprintOf(queues: QueueTable): number {
  let sum = 0
  for (const queue of queues.all()) {
    const { segments, fileSizeBytes, startOffset, limitOffset } = queue.log
    if (segments.length === 0) continue
    if (segments.length * fileSizeBytes !== limitOffset - startOffset) return -2
    let hash = Math.imul(queue.topicHash ^ queue.queueId, 0x9e3779b1)
    hash = Math.imul(hash ^ queue.writtenOffset, 0x85ebca6b) ^ (hash >>> 15)
    hash = Math.imul(hash ^ (startOffset / ENTRY_BYTES), 0xc2b2ae35) ^ (hash >>> 13)
    sum = (sum + (hash >>> 0)) % 0x1_0000_0000
  }
  return sum
}

/** Files of all queues, and the sum of the ends of what is in them. */
export function contentsOf(queues: QueueTable): { fileCount: number; entryCount: number } {
  let fileCount = 0
  let entryCount = 0
  for (const queue of queues.all()) {
    fileCount += queue.log.segments.length
    entryCount += queue.writtenOffset
  }
  return { fileCount, entryCount }
}
