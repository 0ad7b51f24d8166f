import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { BloomFilter, murmur3Low64 } from '@rocketmq-ts/filter/internal'

interface Vector {
  name: string
  f: number
  n: number
  k: number
  m: number
  keys: { key: string; bitPositions: number[]; bitsHex: string | null }[]
  allBitsHex: string | null
}

interface HashVector {
  name: string
  kind: 'murmur3_128'
  text: string
  hash1: number
  hash2: number
}

const golden = JSON.parse(readFileSync(new URL('../test/golden/bloom.json', import.meta.url), 'utf8')) as {
  vectors: (Vector | HashVector)[]
}

describe('the Bloom filter of selections', () => {
  const filters = golden.vectors.filter(vector => 'keys' in vector)
  const hashes = golden.vectors.filter(
    (vector): vector is HashVector => 'kind' in vector && vector.kind === 'murmur3_128',
  )
  assert.ok(filters.length >= 5 && hashes.length >= 5)

  for (const { name, text, hash1, hash2 } of hashes) {
    test(`hashes as Guava does: ${name}`, () => {
      assert.deepEqual(murmur3Low64(Buffer.from(text)), [hash1, hash2])
    })
  }

  for (const { name, f, n, k, m, keys, allBitsHex } of filters) {
    test(`has the size, positions and bits that Java's has: ${name}`, () => {
      const filter = new BloomFilter(f, n)
      assert.equal(filter.hashCount, k)
      assert.equal(filter.bitCount, m)
      const all = filter.newMap()
      for (const { key, bitPositions, bitsHex } of keys) {
        assert.deepEqual(filter.positionsOf(key), bitPositions, key)
        const map = filter.newMap()
        filter.add(map, bitPositions)
        if (bitsHex !== null) assert.equal(map.toString('hex'), bitsHex)
        filter.add(all, bitPositions)
      }
      if (allBitsHex !== null) assert.equal(all.toString('hex'), allBitsHex)
      for (const { bitPositions } of keys) assert.ok(filter.has(all, bitPositions))
      assert.ok(!filter.has(filter.newMap(), keys[0]!.bitPositions))
    })
  }

  test('a map that is too short has no bits', () => {
    const filter = new BloomFilter(20, 32)
    assert.ok(!filter.has(Buffer.alloc(0), [5]))
  })
})
