import { kvConfigTable } from '@rocketmq-ts/protocol'
import type { BackedUpFile, Logger } from '@rocketmq-ts/runtime'

/** The namespace that holds the order of ordered topics: topic to `broker:queues;…`. */
export const ORDER_TOPIC_NAMESPACE = 'ORDER_TOPIC_CONFIG'

type Table = Map<string, Map<string, string>>

/**
 * Values by namespace and key, kept in `kvConfig.json`: `{"configTable":{"ORDER_TOPIC_CONFIG":{"T":"broker-a:4"}}}`. The
 * file is written at each change, before the change is acknowledged; when that fails the change does not happen.
 * Source: KVConfigManager, 5.3.x.
 */
export class KvConfig {
  readonly #file: BackedUpFile | undefined
  readonly #logger: Logger
  #table: Table = new Map()

  /** Without `file` nothing is kept. */
  constructor(file: BackedUpFile | undefined, logger: Logger) {
    this.#file = file
    this.#logger = logger
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

  /** Throws `DISK_FULL` or `DISK_FAILED`; then nothing has changed. */
  put(namespace: string, key: string, value: string): void {
    this.#change(namespace, entries => entries.set(key, value))
  }

  /** No error when there is no such key. An emptied namespace stays, as with Java. Throws as {@link KvConfig.put} does. */
  delete(namespace: string, key: string): void {
    if (this.get(namespace, key) !== undefined) this.#change(namespace, entries => entries.delete(key))
  }

  #change(namespace: string, edit: (entries: Map<string, string>) => void): void {
    const table = new Map(this.#table)
    const entries = new Map(table.get(namespace))
    edit(entries)
    table.set(namespace, entries)
    this.#file?.save(kvConfigTable.stringify({ configTable: table }))
    this.#table = table
  }
}
