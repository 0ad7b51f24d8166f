/**
 * Reader of LZ4 blocks. By hand, because the packages that do it either write past their output or stay damaged after a
 * malformed block, and what a consumer reads comes from strangers.
 *
 * A block is a list of sequences: `[token:1][more literal length][literals][offset:2][more match length]`, the last one
 * ending after its literals. Returns the end of what was written to `target`, or -1 when the block is malformed, reaches
 * before `targetStart`, or needs more than `target` holds.
 */
export function decodeLz4Block(
  source: Buffer,
  sourceStart: number,
  sourceEnd: number,
  target: Buffer,
  targetStart: number,
): number {
  let from = sourceStart
  let to = targetStart
  while (from < sourceEnd) {
    const token = source[from++]!
    let literals = token >> 4
    if (literals === 15) {
      for (let more = 255; more === 255; literals += more) {
        if (from >= sourceEnd) return -1
        more = source[from++]!
      }
    }
    if (literals > sourceEnd - from || literals > target.length - to) return -1
    source.copy(target, to, from, from + literals)
    from += literals
    to += literals
    if (from === sourceEnd) return to
    if (sourceEnd - from < 2) return -1
    const offset = source[from]! | (source[from + 1]! << 8)
    from += 2
    if (offset === 0 || offset > to - targetStart) return -1
    let length = (token & 15) + 4
    if (length === 19) {
      for (let more = 255; more === 255; length += more) {
        if (from >= sourceEnd) return -1
        more = source[from++]!
      }
    }
    if (length > target.length - to) return -1
    copyMatch(target, to, offset, length)
    to += length
  }
  return -1
}

/** A match may overlap what it produces: with offset 1 it repeats one byte. */
function copyMatch(target: Buffer, to: number, offset: number, length: number): void {
  if (offset >= length) {
    target.copyWithin(to, to - offset, to - offset + length)
    return
  }
  for (let i = 0; i < length; i++) target[to + i] = target[to + i - offset]!
}
