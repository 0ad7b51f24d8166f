/** A programmer's error: an invariant of ours does not hold. Never thrown for bad input. */
export class AssertionFailure extends Error {
  override readonly name = 'AssertionFailure'
}

/** Throws {@link AssertionFailure} when `condition` is false. Always on, also in production. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionFailure(message)
}
