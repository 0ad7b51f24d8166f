/** For sibling packages only; no promise of stability. */
export { isExtAddress } from './consume-queue/consume-queue-ext.ts'
export * from './index.ts'
