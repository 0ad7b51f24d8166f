import { consumerFilterWrapper } from '@rocketmq-ts/protocol'
import { BackedUpFile, type Clock, type Disk, type Logger, type Timer } from '@rocketmq-ts/runtime'
import type { FilterTable } from './filter-table.ts'

/** ms */
const SAVE_PERIOD_MS = 10_000

export interface FilterFileDeps {
  readonly filters: FilterTable
  readonly disk: Disk
  /** `<storePathRootDir>/config`, which exists. */
  readonly directory: string
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Keeps consumerFilter.json: every 10 s when something has changed, and at the end. A killed process loses what came since;
 * consumers send it again with their next heartbeat. Source: ConsumerFilterManager#encode, BrokerController, 5.3.x
 */
export class FilterFile {
  readonly #deps: FilterFileDeps
  readonly #file: BackedUpFile
  #timer: Timer | undefined

  /** Fills the table from the file. Throws `CONFIG_INVALID` when neither it nor its `.bak` can be read. */
  constructor(deps: FilterFileDeps) {
    this.#deps = deps
    this.#file = new BackedUpFile(deps.disk, `${deps.directory}/consumerFilter.json`)
    const content = this.#file.load(consumerFilterWrapper.parse)
    if (content !== undefined) deps.filters.load(content)
  }

  /** Begins to save now and then. */
  start(): void {
    this.#timer = this.#deps.clock.setInterval(() => this.#save(), SAVE_PERIOD_MS, { unref: true })
  }

  /** Ends the periodic saving, and saves. */
  close(): void {
    this.#timer?.cancel()
    this.#save()
  }

  #save(): void {
    const { filters, logger } = this.#deps
    filters.clean()
    if (!filters.isDirty) return
    filters.isDirty = false
    try {
      this.#file.save(consumerFilterWrapper.stringifyPretty(filters.snapshot()))
    } catch (error) {
      filters.isDirty = true
      logger.error({ err: error, path: this.#file.path }, 'the selections could not be saved')
    }
  }
}
