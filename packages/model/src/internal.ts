/** For sibling packages only; no promise of stability. */

export * from './hex.ts'
export * from './index.ts'
export * from './int64.ts'
export * from './java-text.ts'
export * from './text-bytes.ts'
