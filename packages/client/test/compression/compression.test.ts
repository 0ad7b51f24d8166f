import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { inflateSync } from 'node:zlib'
import { createCompressor, decompressBody } from '@rocketmq-ts/client/internal'
import type { CompressionType } from '@rocketmq-ts/model'
import fc from 'fast-check'

interface Vector {
  name: string
  sysFlag: number
  storedBodyHex: string
  bodyHex: string
}
const golden = JSON.parse(
  readFileSync(new URL('../../test/golden/compressed-bodies.json', import.meta.url), 'utf8'),
) as {
  vectors: Vector[]
}
const types: CompressionType[] = ['ZLIB', 'LZ4', 'ZSTD']

for (const vector of golden.vectors) {
  test(`the Java client's ${vector.name} is read`, () => {
    const body = decompressBody(Buffer.from(vector.storedBodyHex, 'hex'), vector.sysFlag)
    assert.equal(body.toString('hex'), vector.bodyHex)
  })
}

test('zlib and LZ4 write the same frame start as the Java client', async () => {
  for (const [type, flag] of [
    ['ZLIB', 0x301],
    ['LZ4', 0x101],
  ] as const) {
    const vector = golden.vectors.find(candidate => candidate.sysFlag === flag)!
    const compressor = await createCompressor(type, 5)
    const ours = compressor.compress(Buffer.from(vector.bodyHex, 'hex'))
    assert.equal(compressor.sysFlag, flag)
    assert.equal(
      ours.subarray(0, type === 'LZ4' ? 7 : 2).toString('hex'),
      vector.storedBodyHex.slice(0, type === 'LZ4' ? 14 : 4),
    )
  }
})

for (const type of types) {
  test(`whatever ${type} compresses comes back`, async () => {
    const compressor = await createCompressor(type, 5)
    const bytes = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 5000 }),
      fc
        .tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 3000 }))
        .map(([unit, times]) => {
          return Buffer.concat(Array.from({ length: times }, () => unit))
        }),
    )
    fc.assert(
      fc.property(bytes, input => {
        const body = Buffer.from(input)
        assert.ok(decompressBody(compressor.compress(body), compressor.sysFlag).equals(body))
      }),
      { numRuns: 60 },
    )
  })

  test(`${type} bodies of several blocks come back`, async () => {
    const compressor = await createCompressor(type, 5)
    const body = Buffer.alloc(9 << 20)
    for (let i = 0; i < body.length; i++) body[i] = (i % 251) ^ (i >> 13)
    assert.ok(decompressBody(compressor.compress(body), compressor.sysFlag).equals(body))
  })

  test(`${type} output is bounded: a body of 20 MiB of zeros is refused by a limit of 1 MiB`, async () => {
    const compressor = await createCompressor(type, 5)
    const bomb = compressor.compress(Buffer.alloc(20 << 20))
    assert.ok(bomb.length < 1 << 18)
    assert.throws(() => decompressBody(bomb, compressor.sysFlag, 1 << 20), { code: 'DECOMPRESS_FAILED' })
    assert.equal(decompressBody(bomb, compressor.sysFlag, 20 << 20).length, 20 << 20)
  })

  test(`damaged ${type} bodies give DECOMPRESS_FAILED or other bytes, never another failure`, async () => {
    const compressor = await createCompressor(type, 5)
    const whole = compressor.compress(Buffer.from('the quick brown fox jumps over the lazy dog '.repeat(40)))
    fc.assert(
      fc.property(
        fc.nat(whole.length - 1),
        fc.integer({ min: 1, max: 255 }),
        fc.nat(whole.length),
        (at, change, end) => {
          const damaged = Buffer.from(whole)
          damaged[at]! ^= change
          for (const bytes of [damaged, whole.subarray(0, end), damaged.subarray(0, end)]) {
            try {
              assert.ok(decompressBody(Buffer.from(bytes), compressor.sysFlag, 1 << 20).length <= 1 << 20)
            } catch (error) {
              assert.equal((error as { code: string }).code, 'DECOMPRESS_FAILED')
            }
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  test(`a ${type} body that ends early is refused`, async () => {
    const compressor = await createCompressor(type, 5)
    const whole = compressor.compress(Buffer.from('the quick brown fox jumps over the lazy dog '.repeat(40)))
    assert.throws(() => decompressBody(whole.subarray(0, whole.length - 5), compressor.sysFlag), {
      code: 'DECOMPRESS_FAILED',
    })
  })
}

test('a body without the compression bit is returned as it is', () => {
  const body = Buffer.from('plain')
  assert.equal(decompressBody(body, 0x300), body)
})

test('unknown compression bits are refused by number', () => {
  assert.throws(() => decompressBody(Buffer.from('x'), 0x501), /0x500/)
})

test('zlib levels are those of the stream', async () => {
  const body = Buffer.from('abc'.repeat(1000))
  for (const level of [0, 1, 9])
    assert.ok(inflateSync((await createCompressor('ZLIB', level)).compress(body)).equals(body))
})
