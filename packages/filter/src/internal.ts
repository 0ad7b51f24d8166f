/** For sibling packages only; no promise of stability. */

export * from './index.ts'
export { compareDoubles, parseJavaDouble, parseJavaNumber } from './java-number.ts'
export { murmur3Low64 } from './murmur3.ts'
