import { kvConfigTable } from '@rocketmq-ts/protocol'
import { type BackedUpFile, type Deferred, deferred, type Logger, type TurnScheduler } from '@rocketmq-ts/runtime'

/** The namespace that holds the order of ordered topics: topic to `broker:queues;…`. */
export const ORDER_TOPIC_NAMESPACE = 'ORDER_TOPIC_CONFIG'

type Table = Map<string, Map<string, string>>

/**
 * Values by namespace and key, kept in `kvConfig.json`: `{"configTable":{"ORDER_TOPIC_CONFIG":{"T":"broker-a:4"}}}`. The
 * file is written at the end of a turn that changed something, once for all its changes, and before they are acknowledged; when that
 * fails none of them happens.
 * Source: KVConfigManager, 5.3.x.
 */
export class KvConfig {
  readonly #file: BackedUpFile | undefined
  readonly #logger: Logger
  readonly #turn: TurnScheduler
  #table: Table = new Map()
  /** With the changes of this turn; undefined while there are none. */
  #next: Table | undefined
  /** Namespaces of `#next` that are no longer those of `#table`. */
  readonly #copied = new Set<string>()
  #saved: Deferred<void> | undefined

  /** Without `file` nothing is kept. */
  constructor(file: BackedUpFile | undefined, logger: Logger, turn: TurnScheduler) {
    this.#file = file
    this.#logger = logger
    this.#turn = turn
    turn.onEnd('write', () => this.#save())
  }

  /** Reads the file, or its `.bak`. Throws `CONFIG_INVALID` when neither can be read. */
  load(): void {
    const stored = this.#file?.load(text => kvConfigTable.parse(text))
    if (stored === undefined) return
    this.#table = new Map([...stored.configTable].map(([namespace, entries]) => [namespace, new Map(entries)]))
    this.#logger.info({ namespaces: this.#table.size }, 'key-value configuration loaded')
  }

  get(namespace: string, key: string): string | undefined {
    return this.#table.get(namespace)?.get(key)
  }

  /** All of a namespace; undefined when it never had a key. */
  list(namespace: string): ReadonlyMap<string, string> | undefined {
    return this.#table.get(namespace)
  }

  /** Resolves when it is saved, and visible. Rejects with `DISK_FULL` or `DISK_FAILED`; then nothing has changed. */
  put(namespace: string, key: string, value: string): Promise<void> {
    this.#change(namespace).set(key, value)
    return this.#atEnd()
  }

  /** No error when there is no such key. An emptied namespace stays, as with Java. Settles as {@link KvConfig.put} does. */
  async delete(namespace: string, key: string): Promise<void> {
    if ((this.#next ?? this.#table).get(namespace)?.has(key) !== true) return
    this.#change(namespace).delete(key)
    await this.#atEnd()
  }

  #change(namespace: string): Map<string, string> {
    this.#next ??= new Map(this.#table)
    let entries = this.#next.get(namespace)
    if (entries === undefined || !this.#copied.has(namespace)) {
      entries = new Map(entries)
      this.#next.set(namespace, entries)
      this.#copied.add(namespace)
    }
    return entries
  }

  #atEnd(): Promise<void> {
    this.#saved ??= deferred()
    this.#turn.schedule()
    return this.#saved.promise
  }

  #save(): void {
    const table = this.#next
    const saved = this.#saved
    if (table === undefined || saved === undefined) return
    this.#next = undefined
    this.#saved = undefined
    this.#copied.clear()
    try {
      this.#file?.save(kvConfigTable.stringify({ configTable: table }))
      this.#table = table
      saved.resolve()
    } catch (error) {
      saved.reject(error)
    }
  }
}
