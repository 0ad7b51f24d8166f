/** For sibling packages only; no promise of stability. */
export { isExtAddress } from './consume-queue/consume-queue-ext.ts'
export { entryPhysicalOffset, entrySize, entryTagsHigh, entryTagsLow } from './consume-queue/entries.ts'
export { EntryReader } from './consume-queue/entry-reader.ts'
export * from './index.ts'
