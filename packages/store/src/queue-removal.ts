import { isSystemTopic } from '@rocketmq-ts/model'
import type { ConsumeQueue } from './consume-queue/consume-queue.ts'
import { isDirectoryName } from './consume-queue/queue-table.ts'
import type { StoreCore } from './store-core.ts'

const LIGHT_PREFIX = '%LMQ%'

/** Removes whole consume queues: of deleted topics, of topics nobody knows, and those whose messages are gone. */
export class QueueRemoval {
  readonly #core: StoreCore
  readonly #onFilesRemoved: () => void
  readonly #onRemoved: (queue: ConsumeQueue) => void

  /** `onFilesRemoved` is called before files go, `onRemoved` for each queue. */
  constructor(core: StoreCore, onFilesRemoved: () => void, onRemoved: (queue: ConsumeQueue) => void) {
    this.#core = core
    this.#onFilesRemoved = onFilesRemoved
    this.#onRemoved = onRemoved
  }

  deleteTopic(topic: string): void {
    const { batchQueues, clock, commitLog, deletedTopics, directory, disk, queues } = this.#core
    if (!isDirectoryName(topic)) return
    const hasQueues = queues.queuesOf(topic).length > 0 || batchQueues.queuesOf(topic).length > 0
    if (hasQueues) deletedTopics.add(topic, commitLog.tail.appendedOffset, clock.now())
    this.#onFilesRemoved()
    for (const queue of queues.queuesOf(topic)) this.#remove(queue)
    for (const kind of ['consumequeue', 'consumequeue_ext']) {
      const path = `${directory}/${kind}/${topic}`
      if (disk.stat(path) !== undefined) disk.removeDirectory(path)
    }
    if (batchQueues.queuesOf(topic).length > 0) batchQueues.removeTopic(topic)
  }

  cleanUnusedTopics(known: ReadonlySet<string>): string[] {
    const { batchQueues, queues } = this.#core
    const topics = new Set([...queues.topics(), ...batchQueues.topics()])
    const unused = [...topics].filter(topic => !known.has(topic) && !isKept(topic))
    for (const topic of unused) this.deleteTopic(topic)
    return unused
  }

  cleanExpired(): number {
    const { commitLog, queues } = this.#core
    const isExpired = (queue: ConsumeQueue) =>
      queue.maxPhysicalOffset > 0 && queue.maxPhysicalOffset <= commitLog.minOffset && !isKept(queue.topic)
    const expired = [...queues.all()].filter(isExpired)
    if (expired.length > 0) this.#onFilesRemoved()
    for (const queue of expired) this.#remove(queue)
    return expired.length
  }

  #remove(queue: ConsumeQueue): void {
    const { queues, queueWriter } = this.#core
    queues.remove(queue)
    queueWriter.remove(queue)
    this.#onRemoved(queue)
    queue.log.destroy()
    queue.ext?.log.destroy()
  }
}

/** Source: DefaultMessageStore#cleanUnusedTopic, 5.3.x. */
function isKept(topic: string): boolean {
  return isSystemTopic(topic) || topic.startsWith(LIGHT_PREFIX)
}
