import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  decodeBatch,
  decodeProperties,
  decodeStoredMessage,
  encodeBatch,
  isInnerBatch,
  PROPERTIES_LIMIT_BYTES,
  ReceivedMessage,
  splitInnerBatch,
} from '@rocketmq-ts/model'
import { RocketMqError, seededRandom } from '@rocketmq-ts/runtime'
import fc from 'fast-check'
import { goldenVectors, type Vector } from './golden.ts'

interface BatchVector extends Vector {
  readonly hex: string
  readonly innerCount: number
  readonly decoded: readonly { flag: number; bodyText: string; properties: Record<string, string> }[]
}

interface InnerBatchVector extends Vector {
  readonly hex: string
  readonly innerMessages: readonly {
    topic: string
    queueId: number
    queueOffset: string
    flag: number
    sysFlag: number
    bodyText: string
    properties: Record<string, string>
    commitLogOffset: string
    msgId: string
  }[]
}

const goldens = goldenVectors<BatchVector>('batch.json')

describe('batches', () => {
  for (const vector of goldens) {
    test(`${vector.name} decodes and encodes as Java does`, () => {
      const entries = decodeBatch(Buffer.from(vector.hex, 'hex'))
      assert.deepEqual(
        entries.map(({ flag, body, propertiesText }) => ({
          flag,
          bodyText: body.toString('utf8'),
          properties: Object.fromEntries(decodeProperties(propertiesText)),
        })),
        vector.decoded,
      )
      assert.equal(entries.length, vector.innerCount)
      assert.equal(encodeBatch(entries).toString('hex'), vector.hex)
    })
  }

  test('what is encoded is decoded', () => {
    const entry = fc.record(
      {
        flag: fc.integer(),
        body: fc.uint8Array({ maxLength: 100 }).map(bytes => Buffer.from(bytes)),
        propertiesText: fc.string({ unit: 'grapheme' }),
      },
      { noNullPrototype: true },
    )
    fc.assert(
      fc.property(fc.array(entry), entries => {
        assert.deepEqual(decodeBatch(encodeBatch(entries)), entries)
      }),
      { seed: 4, numRuns: 300 },
    )
  })

  test('properties at the limit are taken, above it refused', () => {
    const entry = (length: number) => ({ flag: 0, body: Buffer.alloc(0), propertiesText: 'p'.repeat(length) })
    assert.equal(decodeBatch(encodeBatch([entry(PROPERTIES_LIMIT_BYTES)])).length, 1)
    assert.throws(() => encodeBatch([entry(PROPERTIES_LIMIT_BYTES + 1)]), isCode('INVALID_ARGUMENT'))
  })

  test('a batch cut inside an entry is refused', () => {
    const bytes = Buffer.from(goldens[0]!.hex, 'hex')
    const ends = new Set([0])
    for (let at = 0; at < bytes.length; at += bytes.readInt32BE(at)) ends.add(at)
    for (let end = 0; end < bytes.length; end++) {
      if (ends.has(end)) continue
      assert.throws(() => decodeBatch(bytes.subarray(0, end)), isCode('BODY_INVALID'))
    }
  })

  test('mutilated bytes give entries or BODY_INVALID', () => {
    const random = seededRandom(8)
    for (let round = 0; round < 5000; round++) {
      const bytes = Buffer.from(goldens[0]!.hex, 'hex')
      for (let edits = random.int(4); edits >= 0; edits--) bytes[random.int(bytes.length)] = random.int(256)
      try {
        decodeBatch(bytes)
      } catch (error) {
        assert.ok(isCode('BODY_INVALID')(error), String(error))
      }
    }
  })
})

describe('inner batches', () => {
  const vector = goldenVectors<InnerBatchVector>('messages.json').find(({ name }) => name === 'inner_batch')!
  const outer = decodeStoredMessage(Buffer.from(vector.hex, 'hex'))

  test('one record is split into the messages that Java makes of it', () => {
    assert.ok(isInnerBatch(outer))
    const messages = splitInnerBatch(outer)
    assert.deepEqual(
      messages.map(message => ({
        topic: message.topic,
        queueId: message.queueId,
        queueOffset: String(message.queueOffset),
        flag: message.flag,
        sysFlag: message.sysFlag,
        bodyText: message.body.toString('utf8'),
        properties: Object.fromEntries(decodeProperties(message.propertiesText)),
        commitLogOffset: String(message.physicalOffset),
        msgId: new ReceivedMessage(message).messageId,
      })),
      vector.innerMessages,
    )
  })

  test('a record with only one of the two bits is not split', () => {
    for (const sysFlag of [0, 0x40, 0x80]) assert.equal(isInnerBatch({ ...outer, sysFlag }), false)
  })
})

function isCode(code: string): (error: unknown) => boolean {
  return error => RocketMqError.is(error) && error.code === code
}
