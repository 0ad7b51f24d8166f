import assert from 'node:assert/strict'
import { test } from 'node:test'
import { xxh32 } from '../../dist/compression/xxh32.js'

// Published test values of xxHash, seed 0.
for (const [text, hash] of [
  ['', 0x02cc5d05],
  ['a', 0x550d7456],
  ['abc', 0x32d153ff],
  ['abcd', 0xa3643705],
  ['Nobody inspects the spammish repetition', 0xe2293b2f],
] as const) {
  test(`xxh32 of ${JSON.stringify(text)}`, () => assert.equal(xxh32(Buffer.from(text)), hash))
}
