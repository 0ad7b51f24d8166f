/** The only source of randomness. Not for secrets. */
export interface Random {
  /** A number in [0, 1). */
  next(): number
  /** An integer in [0, bound). `bound` is a positive safe integer. */
  int(bound: number): number
}

export const systemRandom: Random = {
  next: () => Math.random(),
  int: bound => Math.floor(Math.random() * bound),
}

/** A deterministic generator (mulberry32) for tests and simulations: the same seed gives the same sequence. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  return { next, int: bound => Math.floor(next() * bound) }
}
