import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  decompressZstd,
  decompressZstdPortably,
  loadWasmZstdCompressor,
  loadZstdCompressor,
} from '../../dist/compression/zstd.js'

test('the portable code and what node offers read each other', async () => {
  const body = Buffer.from('the quick brown fox '.repeat(500))
  for (const load of [loadWasmZstdCompressor, loadZstdCompressor]) {
    const frame = (await load())(body, 5)
    assert.ok(frame.length < body.length)
    assert.ok(decompressZstd(frame, 1 << 20).equals(body))
    assert.ok(decompressZstdPortably(frame, 1 << 20).equals(body))
  }
})

test('a frame that asks for a gigantic window is refused before memory is taken', () => {
  const frame = Buffer.from('28b52ffd00f8010000', 'hex')
  assert.throws(() => decompressZstdPortably(frame, 1 << 20), /window/)
})
