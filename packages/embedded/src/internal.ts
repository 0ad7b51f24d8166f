/** For sibling packages only; no promise of stability. */

export { makeTemporaryDirectory } from './data-directory.ts'
export * from './index.ts'
