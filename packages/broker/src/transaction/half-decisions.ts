import { OffsetSet } from './offset-set.ts'

/** Half messages that were put back, of which is known where their newest copy is. */
const MOVED_MAX = 100_000
/** In the place of a copy's offset: the transaction has ended. */
const ENDED = -1

/**
 * Which half messages of the half queue have been decided, by their queue offsets. A half that had to be put back (because
 * it was checked, or may not be checked yet) goes on as a copy at the end of the queue; an answer to the original, or to an
 * earlier copy, ends the newest one.
 *
 * ```text
 *  half queue:  … h0 … h1 …… c0 (copy of h0) …… c0' (copy of c0)
 *  copies:      root of c0 and c0' is h0; the newest of h0 is c0'
 * ```
 *
 * Halves put back beyond {@link MOVED_MAX}, and those of a former process, are no longer connected to their originals: an
 * answer to the original is then taken as for one that is not known, and the copy is asked about again.
 */
export class HalfDecisions {
  readonly #decided = new OffsetSet()
  readonly #roots = new Map<number, number>()
  readonly #newest = new Map<number, number>()

  isDecided(offset: number): boolean {
    return this.#decided.has(offset)
  }

  /** Takes over what an op message says. */
  note(offset: number): void {
    this.#decided.add(offset)
  }

  /** The half that is to end when `offset` is decided: itself or its newest copy. Undefined when it has ended already. */
  target(offset: number): number | undefined {
    const target = this.#newest.get(this.#rootOf(offset)) ?? offset
    return target === ENDED || this.#decided.has(target) || this.#decided.has(offset) ? undefined : target
  }

  /** Notes that the transaction of `offset` has ended, and with it `target`. */
  end(offset: number, target: number): void {
    this.#decided.add(target)
    if (target === offset && !this.#roots.has(offset)) return
    this.#decided.add(offset)
    this.#newest.set(this.#rootOf(offset), ENDED)
  }

  /** What {@link HalfDecisions.end} noted isn't so after all. */
  undo(offset: number, target: number): void {
    this.#decided.delete(target)
    if (target === offset && !this.#roots.has(offset)) return
    this.#decided.delete(offset)
    this.#newest.set(this.#rootOf(offset), target)
  }

  /** The half at `offset` goes on as its copy at `copyOffset`. */
  move(offset: number, copyOffset: number): void {
    const root = this.#rootOf(offset)
    this.#roots.set(copyOffset, root)
    this.#newest.delete(root)
    this.#newest.set(root, copyOffset)
    if (this.#newest.size > MOVED_MAX) dropFirst(this.#newest)
    if (this.#roots.size > MOVED_MAX) dropFirst(this.#roots)
  }

  /** The half at `offset` says that it is a copy of the one at `original`. */
  connect(offset: number, original: number): void {
    if (!this.#roots.has(offset) && !this.#newest.has(original)) this.move(original, offset)
  }

  /** Whether the half at `offset`, a copy of `original` if that is known, has ended or goes on as a newer copy. */
  isSuperseded(offset: number, original: number | undefined): boolean {
    const newest = this.#newest.get(original ?? this.#rootOf(offset))
    return newest !== undefined && newest !== offset
  }

  /** Copies are lost that a failed write took back. */
  forgetMoves(): void {
    this.#roots.clear()
    this.#newest.clear()
  }

  /** Nobody will ask whether halves below `offset` are decided. */
  forgetBelow(offset: number): void {
    this.#decided.forgetBelow(offset)
  }

  #rootOf(offset: number): number {
    return this.#roots.get(offset) ?? offset
  }
}

function dropFirst(map: Map<number, number>): void {
  for (const key of map.keys()) {
    map.delete(key)
    return
  }
}
