import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Tail } from '../../dist/commit-log/tail.js'

/** Appends `text` as one record. */
function add(tail: Tail, text: string): number {
  const chunk = tail.reserve(text.length)
  chunk.buffer.write(text, chunk.length, 'latin1')
  const offset = tail.appendedOffset
  tail.commit(chunk, text.length)
  return offset
}

function textAt(tail: Tail, offset: number, size: number): string | undefined {
  const chunk = tail.find(offset, size)
  const at = offset - (chunk?.baseOffset ?? 0)
  return chunk?.buffer.toString('latin1', at, at + size)
}

describe('the end of the log in memory', () => {
  it('finds each record while it is kept, and nothing that reaches beyond a chunk', () => {
    const tail = new Tail({ chunkBytes: 16, retainedBytes: 64 }, 1000)
    const offsets = ['aaaaaaaaaa', 'bbbbbbbbbb', 'cccc'].map(text => add(tail, text))
    assert.deepEqual(offsets, [1000, 1010, 1020])
    assert.equal(textAt(tail, 1000, 10), 'aaaaaaaaaa')
    assert.equal(textAt(tail, 1020, 4), 'cccc')
    assert.equal(textAt(tail, 1005, 10), undefined)
    assert.equal(textAt(tail, 999, 1), undefined)
    assert.equal(textAt(tail, 1024, 1), undefined)
  })

  it('never drops what is not written, and then the oldest first', () => {
    const tail = new Tail({ chunkBytes: 16, retainedBytes: 32 }, 0)
    for (let i = 0; i < 6; i++) add(tail, 'x'.repeat(16))
    assert.equal(tail.oldestOffset, 0)
    assert.equal(tail.unwrittenBytes, 96)
    tail.markWritten()
    assert.equal(tail.oldestOffset, 64)
    assert.equal(tail.unwrittenBytes, 0)
  })

  it('gives a record larger than a chunk a chunk of its own', () => {
    const tail = new Tail({ chunkBytes: 16, retainedBytes: 32 }, 0)
    add(tail, 'small')
    const offset = add(tail, 'L'.repeat(100))
    assert.equal(textAt(tail, offset, 100), 'L'.repeat(100))
  })

  it('uses the buffer of a dropped chunk again, unless a part of it was given away', () => {
    const tail = new Tail({ chunkBytes: 16, retainedBytes: 16 }, 0)
    add(tail, 'x'.repeat(16))
    const free = tail.chunks[0]!.buffer
    add(tail, 'y'.repeat(16))
    const lent = tail.chunks[1]!
    lent.isLent = true
    tail.markWritten()
    add(tail, 'z'.repeat(16))
    assert.equal(tail.chunks[1]!.buffer, free)
    tail.markWritten()
    add(tail, 'w'.repeat(16))
    assert.notEqual(tail.chunks[1]!.buffer, lent.buffer)
  })

  it('forgets exactly what was not written when it is rolled back', () => {
    const tail = new Tail({ chunkBytes: 16, retainedBytes: 64 }, 0)
    add(tail, 'aaaa')
    tail.markWritten()
    add(tail, 'bbbb')
    add(tail, 'c'.repeat(16))
    tail.rollBack()
    assert.equal(tail.appendedOffset, 4)
    assert.equal(textAt(tail, 0, 4), 'aaaa')
    assert.equal(textAt(tail, 4, 4), undefined)
    assert.equal(add(tail, 'dddd'), 4)
    assert.equal(textAt(tail, 4, 4), 'dddd')
  })

  it('begins a new chunk with a new file, also where the old one ended exactly there', () => {
    const tail = new Tail({ chunkBytes: 64, retainedBytes: 256 }, 0)
    add(tail, 'x'.repeat(32))
    tail.skipTo(32)
    add(tail, 'y')
    assert.deepEqual(
      tail.chunks.map(chunk => chunk.baseOffset),
      [0, 32],
    )
  })
})
