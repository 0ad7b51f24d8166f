import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readInt32, readInt64, readText, writeInt32, writeInt64 } from '@rocketmq-ts/model/internal'
import fc from 'fast-check'

describe('integers in buffers', () => {
  test('64 bits are what node reads and writes, exact within 2^53', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.nat(5), (value, at) => {
        const buffer = Buffer.alloc(16)
        assert.equal(writeInt64(buffer, value, at), at + 8)
        assert.equal(buffer.readBigInt64BE(at), BigInt(value))
        assert.equal(readInt64(buffer, at), value)
      }),
      { seed: 1, numRuns: 1000 },
    )
  })

  test('beyond 2^53 it is the nearest number, and beyond int64 the nearest int64', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), value => {
        const buffer = Buffer.alloc(8)
        buffer.writeBigInt64BE(value)
        assert.equal(readInt64(buffer, 0), Number(value))
        writeInt64(buffer, Number(value), 0)
        const nearest = BigInt(Number(value))
        assert.equal(buffer.readBigInt64BE(), nearest > 2n ** 63n - 1n ? 2n ** 63n - 1n : nearest)
      }),
      { seed: 2, numRuns: 1000 },
    )
    const buffer = Buffer.alloc(8)
    writeInt64(buffer, -1e300, 0)
    assert.equal(buffer.toString('hex'), '8000000000000000')
    writeInt64(buffer, 1e300, 0)
    assert.equal(buffer.toString('hex'), '7fffffffffffffff')
  })

  test('32 bits are what node reads and writes', () => {
    fc.assert(
      fc.property(fc.integer(), value => {
        const buffer = Buffer.alloc(5)
        writeInt32(buffer, value, 1)
        assert.equal(buffer.readInt32BE(1), value)
        assert.equal(readInt32(buffer, 1), value)
      }),
      { seed: 3, numRuns: 500 },
    )
  })
})

describe('text in buffers', () => {
  test('is what node reads, whatever the bytes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }).map(text => Buffer.from(text)),
          fc.uint8Array().map(a => Buffer.from(a)),
        ),
        bytes => {
          assert.equal(readText(bytes, 0, bytes.length), bytes.toString('utf8'))
        },
      ),
      { seed: 4, numRuns: 1000 },
    )
  })
})
