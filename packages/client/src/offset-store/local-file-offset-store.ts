import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { type MessageQueue, messageQueueKey } from '@rocketmq-ts/model'
import { JsonMap, parseLenient, stringifyFastjsonPretty } from '@rocketmq-ts/protocol/internal'
import { BackedUpFile, type Disk, type Logger, RocketMqError } from '@rocketmq-ts/runtime'
import type { OffsetStore } from './offset-store.ts'

/** `~/.rocketmq_offsets`, where Java's clients keep theirs. */
export function defaultOffsetStoreDirectory(): string {
  return join(homedir(), '.rocketmq_offsets')
}

/** The file of one consumer below `directory`. Characters that would leave the directory are replaced. */
export function localOffsetFile(directory: string, clientId: string, group: string): string {
  const safe = (name: string) => name.replace(/[/\\]/g, '_').replace(/^\.+$/, '_')
  return join(directory, safe(clientId), safe(group), 'offsets.json')
}

interface Entry {
  readonly queue: MessageQueue
  offset: number
}

/**
 * Progress kept in a file of this host: for broadcasting, where each member has its own. The file is Java's: pretty lenient
 * JSON, `{"offsetTable":{{"brokerName":"b","queueId":1,"topic":"t"}:9,…}}`, the previous content beside it as `.bak`.
 * A file that can't be read or written is logged; consumption goes on. Source: LocalFileOffsetStore, 5.3.x
 */
export class LocalFileOffsetStore implements OffsetStore {
  readonly #disk: Disk
  readonly #file: BackedUpFile
  readonly #logger: Logger
  readonly #entries = new Map<string, Entry>()
  /** What the file holds, also for queues that this consumer doesn't hold now. */
  #saved = new Map<string, Entry>()

  constructor(disk: Disk, path: string, logger: Logger) {
    this.#disk = disk
    this.#file = new BackedUpFile(disk, path)
    this.#logger = logger
  }

  /** Rejects with `CONFIG_INVALID` when both file and backup are damaged: starting anew would skip or repeat messages. */
  async load(): Promise<void> {
    this.#saved = this.#file.load(parseOffsets) ?? new Map()
    for (const [key, entry] of this.#saved) this.#entries.set(key, { ...entry })
  }

  update(key: string, queue: MessageQueue, offset: number, increaseOnly: boolean): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) this.#entries.set(key, { queue, offset })
    else if (!increaseOnly || offset > entry.offset) entry.offset = offset
  }

  updateAndFreeze(key: string, queue: MessageQueue, offset: number): void {
    this.update(key, queue, offset, false)
  }

  memory(key: string): number | undefined {
    return this.#entries.get(key)?.offset
  }

  async stored(key: string, queue: MessageQueue): Promise<number | undefined> {
    const offset = this.#saved.get(key)?.offset
    if (offset !== undefined) this.update(key, queue, offset, false)
    return offset
  }

  async persistAll(queues: Iterable<MessageQueue>): Promise<void> {
    let isChanged = false
    for (const queue of queues) isChanged = this.#stage(messageQueueKey(queue)) || isChanged
    if (isChanged) this.#save()
  }

  async persist(key: string): Promise<void> {
    if (this.#stage(key)) this.#save()
  }

  remove(): void {
    // A queue that comes back continues where it was: nobody else moves this member's offsets.
  }

  #stage(key: string): boolean {
    const entry = this.#entries.get(key)
    if (entry === undefined || this.#saved.get(key)?.offset === entry.offset) return false
    this.#saved.set(key, { ...entry })
    return true
  }

  #save(): void {
    const pairs = [...this.#saved.values()].map(({ queue, offset }): [unknown, unknown] => [{ ...queue }, offset])
    try {
      this.#disk.makeDirectory(dirname(this.#file.path))
      this.#file.save(stringifyFastjsonPretty({ offsetTable: new JsonMap(pairs) }))
    } catch (error) {
      this.#logger.error({ path: this.#file.path, err: error }, 'offsets of a broadcast not written')
    }
  }
}

function parseOffsets(text: string): Map<string, Entry> {
  const root = parseLenient(text) as { offsetTable?: unknown }
  const table = root?.offsetTable
  const entries = new Map<string, Entry>()
  // An empty table is a plain object; one with entries has objects as keys.
  const pairs = table instanceof JsonMap ? table.$pairs : []
  for (const [key, offset] of pairs) {
    const { topic, brokerName, queueId } = key as MessageQueue
    if (typeof topic !== 'string' || typeof brokerName !== 'string' || !Number.isInteger(queueId))
      throw damaged('a queue')
    if (typeof offset !== 'number' || offset < 0) throw damaged('an offset')
    const queue = { topic, brokerName, queueId }
    entries.set(messageQueueKey(queue), { queue, offset })
  }
  return entries
}

function damaged(what: string): RocketMqError {
  return new RocketMqError('CONFIG_INVALID', `${what} in the table of offsets is damaged`)
}
