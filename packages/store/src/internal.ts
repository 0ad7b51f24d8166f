/** For sibling packages only; no promise of stability. */

export { PRE_BLANK_SIZE } from './consume-queue/consume-queue.ts'
export { extAddressOf, isExtAddress } from './consume-queue/consume-queue-ext.ts'
export {
  ENTRY_BYTES,
  type EntryWindow,
  entryPhysicalOffset,
  entrySize,
  entryTagsCode,
  entryTagsHigh,
  entryTagsLow,
} from './consume-queue/entries.ts'
export { EntryReader } from './consume-queue/entry-reader.ts'
export * from './index.ts'
