import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OutputBuffer, type OutputSink, PiecePool } from '@rocketmq-ts/remoting/internal'
import fc from 'fast-check'

class RecordingSink implements OutputSink {
  readonly writes: Buffer[] = []
  readonly writableLength: number

  constructor(writableLength = 0) {
    this.writableLength = writableLength
  }

  cork(): void {}
  uncork(): void {}
  write(bytes: Buffer): void {
    // A socket that has written at once never looks at the bytes again.
    this.writes.push(this.writableLength === 0 ? Buffer.from(bytes) : bytes)
  }
  get all(): Buffer {
    return Buffer.concat(this.writes)
  }
}

test('whatever is appended, reserved or flushed comes out in order', () => {
  const size = fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 3_000, max: 70_000 }))
  fc.assert(
    fc.property(
      fc.array(fc.tuple(size, fc.boolean(), fc.boolean()), { maxLength: 60 }),
      fc.boolean(),
      (steps, slow) => {
        const pool = new PiecePool(2)
        const output = new OutputBuffer(pool)
        const sink = new RecordingSink(slow ? 1 : 0)
        const expected: Buffer[] = []
        let unflushed = 0
        for (const [index, [length, reserved, flush]] of steps.entries()) {
          const bytes = Buffer.alloc(length, index + 1)
          expected.push(bytes)
          unflushed += length
          if (reserved && length <= 65_536) {
            const target = output.reserve(65_536)
            bytes.copy(target, output.offset)
            output.commit(output.offset + length)
          } else output.append(bytes)
          assert.equal(output.length, unflushed)
          if (!flush) continue
          output.flushTo(sink)
          unflushed = 0
          assert.equal(output.length, 0)
        }
        output.flushTo(sink)
        assert.ok(sink.all.equals(Buffer.concat(expected)))
      },
    ),
  )
})

test('small frames of a turn are one write', () => {
  const output = new OutputBuffer(new PiecePool())
  const sink = new RecordingSink()
  for (let index = 0; index < 100; index++) output.append(Buffer.from('0123456789'))
  output.flushTo(sink)
  assert.deepEqual(
    sink.writes.map(bytes => bytes.length),
    [1000],
  )
})

test('a piece is used again only when the kernel has taken all of it', () => {
  const pool = new PiecePool()
  const piece = pool.take()
  pool.release(piece)
  const output = new OutputBuffer(pool)
  output.append(Buffer.from('taken'))
  output.flushTo(new RecordingSink(0))
  assert.equal(pool.take(), piece)
  pool.release(piece)
  output.append(Buffer.from('waiting'))
  output.flushTo(new RecordingSink(7))
  assert.notEqual(pool.take(), piece)
})
