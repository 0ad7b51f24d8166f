import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as zlib from 'node:zlib'
import {
  bodyCrc,
  crc32,
  crc32ByTables,
  fileNameOfOffset,
  indexKey,
  indexKeyHash,
  isPrivateAddress,
  javaHashCode,
  messageQueueHashCode,
  messageQueueText,
  parseAddress,
  tagsCodeOf,
} from '@rocketmq-ts/model'
import { toHex } from '@rocketmq-ts/model/internal'
import fc from 'fast-check'
import { assertKinds, goldenVectors, type Vector } from './golden.ts'

function each<V extends Vector>(kind: string, check: (vector: V) => void): void {
  for (const vector of goldenVectors<V>('hashes.json', kind)) test(`${vector.name} is as in Java`, () => check(vector))
}

describe('golden hashes', () => {
  test('all kinds of vectors are known', () => {
    assertKinds('hashes.json', [
      'string',
      'tagsCodeNull',
      'crc',
      'crcRange',
      'indexKey',
      'abs',
      'offset2FileName',
      'bytes2string',
      'isInternalIP',
      'messageQueue',
    ])
  })

  each<Vector & { text: string; hex: string; hashCode: number; tagsCode: string; crc32: number }>('string', vector => {
    assert.equal(javaHashCode(vector.text), vector.hashCode)
    assert.equal(tagsCodeOf(vector.text), Number(vector.tagsCode))
    assert.equal(bodyCrc(Buffer.from(vector.hex, 'hex')), vector.crc32)
    assert.equal(Buffer.from(vector.text, 'utf8').toString('hex'), vector.hex)
  })

  each<Vector & { tagsCode: string }>('tagsCodeNull', vector => {
    assert.equal(tagsCodeOf(undefined), Number(vector.tagsCode))
    assert.equal(tagsCodeOf(''), Number(vector.tagsCode))
  })

  each<Vector & { hex: string; rawCrc32: number; crc32: number }>('crc', vector => {
    assert.equal(crc32(Buffer.from(vector.hex, 'hex')), vector.rawCrc32)
    assert.equal(bodyCrc(Buffer.from(vector.hex, 'hex')), vector.crc32)
  })

  each<Vector & { hex: string; offset: number; length: number; crc32: number }>('crcRange', vector => {
    const bytes = Buffer.from(vector.hex, 'hex')
    assert.equal(crc32(bytes, vector.offset, vector.offset + vector.length) & 0x7fffffff, vector.crc32)
  })

  each<Vector & { topic: string; key: string; keyText: string; hashCode: number; keyHash: number }>(
    'indexKey',
    vector => {
      assert.equal(indexKey(vector.topic, vector.key), vector.keyText)
      assert.equal(javaHashCode(vector.keyText), vector.hashCode)
      assert.equal(indexKeyHash(vector.keyText), vector.keyHash)
    },
  )

  each<Vector & { text: string; hashCode: number; keyHash: number }>('abs', vector => {
    assert.equal(javaHashCode(vector.text), vector.hashCode)
    assert.equal(indexKeyHash(vector.text), vector.keyHash)
  })

  each<Vector & { offset: string; fileName: string }>('offset2FileName', vector => {
    assert.equal(fileNameOfOffset(BigInt(vector.offset)), vector.fileName)
  })

  each<Vector & { hex: string; text: string }>('bytes2string', vector => {
    assert.equal(toHex(Buffer.from(vector.hex, 'hex')), vector.text)
  })

  each<Vector & { ip: string; internal: boolean }>('isInternalIP', vector => {
    assert.equal(isPrivateAddress(parseAddress(vector.ip)!), vector.internal)
  })

  each<Vector & { topic: string; brokerName: string; queueId: number; hashCode: number; toString: string }>(
    'messageQueue',
    vector => {
      assert.equal(messageQueueText(vector), vector.toString)
      assert.equal(messageQueueHashCode(vector), vector.hashCode)
    },
  )
})

describe('CRC-32', () => {
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ minLength: 256, maxLength: 400 }))

  test('tables, native code and pieces agree', () => {
    fc.assert(
      fc.property(bytes, fc.nat(400), (data, cut) => {
        const at = Math.min(cut, data.length)
        const whole = crc32ByTables(data, 0, data.length, 0)
        assert.equal(crc32(data), whole)
        assert.equal(crc32(data, at, data.length, crc32(data, 0, at)), whole)
        assert.equal(crc32ByTables(data, at, data.length, crc32ByTables(data, 0, at, 0)), whole)
        const native = (zlib as { crc32?: (data: Uint8Array) => number }).crc32
        if (native !== undefined) assert.equal(native(data), whole)
      }),
      { seed: 6, numRuns: 500 },
    )
  })

  test('of no bytes is 0', () => {
    assert.equal(bodyCrc(Buffer.alloc(0)), 0)
    assert.equal(crc32(Buffer.alloc(0)), 0)
  })
})
