/** For sibling packages only; no promise of stability. */

export * from './index.ts'
