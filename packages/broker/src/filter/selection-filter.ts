import type { BloomFilter, Selection } from '@rocketmq-ts/filter'
import type { ExtUnit, MessageFilter } from '@rocketmq-ts/store'
import { propertiesOfRecord, TextProperties } from './record-properties.ts'

/** What a filter may trust of the bit maps in a consume queue extension. */
export interface BitMapTrust {
  readonly bloomFilter: BloomFilter
  readonly positions: readonly number[]
  /** Bit maps of messages stored at that time (ms) or before know nothing of this selection. */
  readonly bornTimeMs: number
}

/**
 * Lets through what an SQL92 selection selects: by the message's bit map where it can be trusted, then by its properties.
 * Source: ExpressionMessageFilter, 5.3.x
 */
export class SelectionFilter implements MessageFilter {
  readonly #selection: Selection
  readonly #trust: BitMapTrust | undefined
  readonly #properties = new TextProperties()

  constructor(selection: Selection, trust?: BitMapTrust) {
    this.#selection = selection
    this.#trust = trust
  }

  matchesEntry(_tagsHigh: number, _tagsLow: number, unit: ExtUnit | undefined): boolean {
    const trust = this.#trust
    if (trust === undefined || unit?.bitMap === undefined || unit.storeTimestamp <= trust.bornTimeMs) return true
    if (unit.bitMap.length * 8 !== trust.bloomFilter.bitCount) return true
    return trust.bloomFilter.has(unit.bitMap, trust.positions)
  }

  matchesRecord(record: Buffer): boolean {
    return this.matchesProperties(propertiesOfRecord(record))
  }

  /** The same for properties as text. */
  matchesProperties(text: string): boolean {
    this.#properties.text = text
    return this.#selection.matches(this.#properties)
  }
}
