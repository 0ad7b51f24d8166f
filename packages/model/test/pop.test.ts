import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  decodeBitSet,
  decodePopReceipt,
  encodeBitSet,
  encodePopReceipt,
  groupOfRetryTopic,
  isOrderReceipt,
  normalTopicOf,
  normalTopicOfV2,
  parsePopInfo,
  pollingKey,
  popInfoEntry,
  popRetryTopicV1,
  popRetryTopicV2,
  queueOffsetKey,
  type RetryMark,
  retryMarkOf,
  topicOfMark,
} from '@rocketmq-ts/model'
import { RocketMqError } from '@rocketmq-ts/runtime'
import fc from 'fast-check'
import { assertKinds, goldenVectors, type Vector } from './golden.ts'

const isInvalid = (error: unknown) => RocketMqError.is(error) && error.code === 'INVALID_ARGUMENT'

interface ReceiptVector extends Vector {
  readonly messageTopic: string
  readonly text: string
  readonly decoded: {
    ckQueueOffset: string
    popTime: string
    invisibleTime: string
    reviveQid: number
    retry: RetryMark
    brokerName: string
    queueId: number
    queueOffset: string
    isOrder: boolean
    realTopic: string
  }
}

describe('POP receipts', () => {
  test('all kinds of golden vectors are known', () => {
    assertKinds('pop.json', ['popCk', 'startOffsetInfo', 'msgOffsetInfo', 'orderCountInfo', 'popRetryTopic', 'bitSet'])
  })

  for (const vector of goldenVectors<ReceiptVector>('pop.json', 'popCk')) {
    test(`${vector.name} decodes and encodes as Java does`, () => {
      const receipt = decodePopReceipt(vector.text)
      const { decoded } = vector
      assert.deepEqual(receipt, {
        startOffset: Number(decoded.ckQueueOffset),
        popTime: Number(decoded.popTime),
        invisibleTime: Number(decoded.invisibleTime),
        reviveQueueId: decoded.reviveQid,
        retryMark: decoded.retry,
        brokerName: decoded.brokerName,
        queueId: decoded.queueId,
        queueOffset: Number(decoded.queueOffset),
      })
      assert.equal(isOrderReceipt(receipt), decoded.isOrder)
      assert.equal(retryMarkOf(vector.messageTopic), receipt.retryMark)
      assert.equal(topicOfMark('TopicGolden', 'CG_golden', receipt.retryMark), decoded.realTopic)
      assert.equal(encodePopReceipt(receipt), vector.text)
    })
  }

  test('a receipt without the offset of the message is read', () => {
    const text = '42 1700000001000 60000 999 0 broker-a 3'
    const receipt = decodePopReceipt(text)
    assert.equal(receipt.queueOffset, -1)
    assert.ok(isOrderReceipt(receipt))
    assert.equal(encodePopReceipt(receipt), text)
  })

  test('what is no receipt is refused', () => {
    for (const text of ['', '1 2 3 4 0 b', '1 2 3 4 7 b 5 6', '1 2 x 4 0 b 5 6', '1 2 3 4 0 b  6']) {
      assert.throws(() => decodePopReceipt(text), isInvalid, text)
    }
  })
})

describe('POP offset lists', () => {
  for (const kind of ['startOffsetInfo', 'msgOffsetInfo', 'orderCountInfo']) {
    const [vector] = goldenVectors<Vector & { text: string; decoded: Record<string, number | number[]> }>(
      'pop.json',
      kind,
    )
    test(`${kind} decodes and encodes as Java does`, () => {
      const { text, decoded } = vector!
      const parsed = parsePopInfo(text)
      assert.deepEqual(
        Object.fromEntries(parsed),
        Object.fromEntries(Object.entries(decoded).map(([key, value]) => [key, [value].flat()])),
      )
      const entries = Array.from(parsed, ([key, values]) => {
        const at = key.indexOf('@')
        return popInfoEntry(key.slice(0, at) as RetryMark, key.slice(at + 1), values)
      })
      assert.equal(entries.join(';'), text)
    })
  }

  test('a single number is written alone, and messages have keys of their own', () => {
    assert.equal(popInfoEntry('1', 3, 42), '1 3 42')
    assert.equal(popInfoEntry('0', queueOffsetKey(3, 42), 2), '0 qo3%42 2')
  })

  test('nothing gives nothing, a wrong or repeated entry is refused', () => {
    assert.equal(parsePopInfo(undefined).size, 0)
    assert.equal(parsePopInfo('').size, 0)
    for (const text of ['0 1', '0 1 2 3', '0 1 x', '0 1 2;0 1 3', '0 1 1,,2']) {
      assert.throws(() => parsePopInfo(text), isInvalid, text)
    }
  })
})

describe('POP retry topics', () => {
  interface RetryVector extends Vector {
    readonly topic: string
    readonly group: string
    readonly v1: string
    readonly v2: string
    readonly pollingKey: string
    readonly normalFromV1: string
    readonly normalFromV2: string
    readonly groupFromV2: string
    readonly groupFromPull: string
  }

  for (const vector of goldenVectors<RetryVector>('pop.json', 'popRetryTopic')) {
    test(`${vector.name} is as in Java`, () => {
      const { topic, group, v1, v2 } = vector
      assert.equal(popRetryTopicV1(topic, group), v1)
      assert.equal(popRetryTopicV2(topic, group), v2)
      assert.equal(pollingKey(topic, group, 3), vector.pollingKey)
      assert.equal(normalTopicOf(v1, group), vector.normalFromV1)
      assert.equal(normalTopicOf(v2, group), vector.normalFromV2)
      assert.equal(normalTopicOfV2(v2), topic)
      assert.equal(groupOfRetryTopic(v2), vector.groupFromV2)
      assert.equal(groupOfRetryTopic(`%RETRY%${group}`), vector.groupFromPull)
    })
  }

  test('a topic that is no POP retry topic of the group stays as it is', () => {
    assert.equal(normalTopicOf('T', 'G'), 'T')
    assert.equal(normalTopicOf('%RETRY%G', 'G'), '%RETRY%G')
    assert.equal(normalTopicOf('%RETRY%Other_T', 'G'), '%RETRY%Other_T')
    assert.equal(normalTopicOfV2('%RETRY%G_T'), '%RETRY%G_T')
  })
})

describe('bit sets', () => {
  for (const vector of goldenVectors<Vector & { bits: number[]; hex: string }>('pop.json', 'bitSet')) {
    test(`${vector.name} decodes and encodes as Java does`, () => {
      assert.equal(encodeBitSet(vector.bits).toString('hex'), vector.hex)
      assert.deepEqual(decodeBitSet(Buffer.from(vector.hex, 'hex')), vector.bits)
    })
  }

  test('sets come back sorted, zero bytes at the end do not matter', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(500)), bits => {
        const expected = [...bits].sort((a, b) => a - b)
        assert.deepEqual(decodeBitSet(encodeBitSet(bits)), expected)
        assert.deepEqual(decodeBitSet(Buffer.concat([encodeBitSet(bits), Buffer.alloc(3)])), expected)
      }),
      { seed: 2, numRuns: 200 },
    )
  })

  test('numbers out of range and sets out of measure are refused', () => {
    for (const bit of [-1, 1.5, 65_536, Number.NaN]) assert.throws(() => encodeBitSet([bit]), isInvalid)
    assert.equal(decodeBitSet(Buffer.alloc(8192)).length, 0)
    assert.throws(() => decodeBitSet(Buffer.alloc(8193)), /too long/)
  })
})
