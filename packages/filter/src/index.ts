/** SQL92 selection of messages by their properties, and the Bloom filter of its subscriptions. */
export { BloomFilter } from './bloom-filter.ts'
export { type PropertySource, type Verdict, verdict } from './evaluate.ts'
export { compileSelection, Selection } from './selection.ts'
