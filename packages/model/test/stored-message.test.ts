import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  decodeProperties,
  decodeStoredMessage,
  decodeStoredMessages,
  encodeOffsetMessageId,
  encodeStoredMessage,
  formatHost,
  type Host,
  magicForTopic,
  magicV1,
  magicV2,
  ReceivedMessage,
  type StoredMessage,
  sysFlag,
} from '@rocketmq-ts/model'
import { RocketMqError, seededRandom } from '@rocketmq-ts/runtime'
import fc from 'fast-check'
import { goldenVectors, type Vector } from './golden.ts'
import { storedMessageArbitrary } from './stored-message-arbitrary.ts'

interface Decoded {
  readonly storeSize: number
  readonly bodyCRC: number
  readonly queueId: number
  readonly flag: number
  readonly queueOffset: string
  readonly commitLogOffset: string
  readonly sysFlag: number
  readonly bornTimestamp: string
  readonly bornHost: string
  readonly storeTimestamp: string
  readonly storeHost: string
  readonly reconsumeTimes: number
  readonly preparedTransactionOffset: string
  readonly bodyHex: string | null
  readonly topic: string
  readonly propertiesText: string
  readonly properties: Record<string, string> | null
  readonly msgId: string
  readonly offsetMsgId: string
}

interface MessageVector extends Vector {
  readonly reencode: string
  readonly hex: string
  readonly magic: number
  readonly decodedCount: number
  readonly storedSysFlag?: number
  readonly storedBodyHex?: string | null
  readonly decoded?: Decoded
  readonly decodedList?: readonly Decoded[]
}

const vectors = goldenVectors<MessageVector>('messages.json')

function isCode(code: string): (error: unknown) => boolean {
  return error => RocketMqError.is(error) && error.code === code
}

/** Every field that a compressed body doesn't change. */
function assertFields(message: StoredMessage, expected: Decoded): void {
  assert.equal(message.totalSize, expected.storeSize)
  assert.equal(message.bodyCrc, expected.bodyCRC)
  assert.equal(message.queueId, expected.queueId)
  assert.equal(message.flag, expected.flag)
  assert.equal(message.queueOffset, Number(expected.queueOffset))
  assert.equal(message.physicalOffset, Number(expected.commitLogOffset))
  assert.equal(message.bornTimestamp, Number(expected.bornTimestamp))
  assert.equal(formatHost(message.bornHost), expected.bornHost)
  assert.equal(message.storeTimestamp, Number(expected.storeTimestamp))
  assert.equal(formatHost(message.storeHost), expected.storeHost)
  assert.equal(message.reconsumeTimes, expected.reconsumeTimes)
  assert.equal(message.preparedTransactionOffset, Number(expected.preparedTransactionOffset))
  assert.equal(message.topic, expected.topic)
  assert.equal(message.propertiesText, expected.propertiesText)
  assert.deepEqual(Object.fromEntries(decodeProperties(message.propertiesText)), expected.properties ?? {})
}

describe('golden messages', () => {
  for (const vector of vectors) {
    const bytes = Buffer.from(vector.hex, 'hex')
    test(`${vector.name} decodes to what Java reads`, () => {
      const messages = decodeStoredMessages(bytes)
      assert.equal(messages.length, vector.decodedCount)
      const expected = vector.decodedList ?? [vector.decoded!]
      for (const [i, message] of messages.entries()) {
        assertFields(message, expected[i]!)
        assert.equal(message.magic, vector.magic)
        const received = new ReceivedMessage(message)
        assert.equal(received.sysFlag, expected[i]!.sysFlag)
        if (expected[i]!.offsetMsgId !== '0020000000000001' && Number.isSafeInteger(message.physicalOffset)) {
          assert.equal(received.offsetMessageId, expected[i]!.offsetMsgId)
          assert.equal(received.messageId, expected[i]!.msgId)
        }
      }
      if (vector.storedSysFlag !== undefined) assert.equal(messages[0]!.sysFlag, vector.storedSysFlag)
      if (vector.storedBodyHex !== undefined) {
        assert.equal(messages[0]!.body.toString('hex'), vector.storedBodyHex ?? '')
      } else {
        assert.deepEqual(
          messages.map(message => message.body.toString('hex')),
          expected.map(({ bodyHex }) => bodyHex ?? ''),
        )
      }
    })

    // Offsets beyond 2^53 are the nearest number, so this one doesn't come back exactly.
    const isExact = vector.name !== 'v1_ipv6_both_extremes'
    test(`${vector.name} ${isExact ? 'encodes to the same bytes' : 'differs in offsets beyond 2^53 only'}`, () => {
      const encoded = Buffer.concat(decodeStoredMessages(bytes).map(encodeStoredMessage))
      if (!isExact) {
        encoded.set(bytes.subarray(20, 36), 20)
        const preparedAt = 68 + 20 + 20 - 8
        encoded.set(bytes.subarray(preparedAt, preparedAt + 8), preparedAt)
      }
      assert.equal(encoded.toString('hex'), vector.hex)
    })
  }
})

describe('stored messages', () => {
  test('what is encoded is decoded, alone and in a row', () => {
    fc.assert(
      fc.property(fc.array(storedMessageArbitrary, { minLength: 1, maxLength: 4 }), messages => {
        const decoded = decodeStoredMessages(Buffer.concat(messages.map(encodeStoredMessage)))
        assert.deepEqual(decoded.map(plain), messages.map(plain))
      }),
      { seed: 3, numRuns: 300 },
    )
  })

  test('messages of one topic share one text, others do not get it', () => {
    const base = fc.sample(storedMessageArbitrary, { seed: 5, numRuns: 1 })[0]!
    const topics = ['TopicA', 'TopicA', 'TopicB', 'TopicAA', 'TopicA', 'Tópic', 'Tópic', '']
    const bytes = Buffer.concat(topics.map(topic => encodeStoredMessage({ ...base, topic, magic: magicV1 })))
    assert.deepEqual(
      decodeStoredMessages(bytes).map(({ topic }) => topic),
      topics,
    )
  })

  test('a record is read in the middle of a buffer', () => {
    const bytes = Buffer.from(vectors[0]!.hex, 'hex')
    const shifted = Buffer.concat([Buffer.alloc(7), bytes, Buffer.alloc(9)])
    assert.equal(decodeStoredMessage(shifted, 7).topic, 'TopicGolden')
    assert.throws(() => decodeStoredMessage(shifted, 6), isCode('BODY_INVALID'))
  })

  test('a topic of more than 127 bytes needs the second version', () => {
    assert.equal(magicForTopic(127), magicV1)
    assert.equal(magicForTopic(128), magicV2)
    const message = fc.sample(storedMessageArbitrary, { seed: 5, numRuns: 1 })[0]!
    const long = { ...message, topic: 'a'.repeat(128) }
    assert.throws(() => encodeStoredMessage({ ...long, magic: magicV1 }), isCode('INVALID_ARGUMENT'))
    assert.equal(decodeStoredMessage(encodeStoredMessage({ ...long, magic: magicV2 })).topic, long.topic)
  })

  test('what cannot be encoded is refused', () => {
    const message = plain(decodeStoredMessage(Buffer.from(vectors[0]!.hex, 'hex')))
    for (const bad of [
      { magic: 1 },
      { propertiesText: 'a'.repeat(32_768) },
      { topic: 'a'.repeat(32_768), magic: magicV2 },
      { sysFlag: sysFlag.bornHostV6 },
      { sysFlag: sysFlag.storeHostV6 },
      { bornHost: { address: Buffer.alloc(16), port: 1 } },
    ]) {
      assert.throws(() => encodeStoredMessage({ ...message, ...bad }), isCode('INVALID_ARGUMENT'))
    }
  })

  test('a body of a pull cut at any place is refused', () => {
    for (const vector of vectors) {
      const bytes = Buffer.from(vector.hex, 'hex')
      for (let end = 1; end < bytes.length; end++) {
        if (vector.decodedCount === 2 && end === bytes.readInt32BE(0)) continue
        assert.throws(() => decodeStoredMessages(bytes.subarray(0, end)), isCode('BODY_INVALID'))
      }
    }
  })

  test('mutilated bytes give messages or BODY_INVALID', () => {
    const random = seededRandom(52525)
    for (let round = 0; round < 8000; round++) {
      const bytes = Buffer.from(vectors[random.int(vectors.length)]!.hex, 'hex')
      for (let edits = random.int(6); edits >= 0; edits--) bytes[random.int(bytes.length)] = random.int(256)
      try {
        for (const message of decodeStoredMessages(bytes)) plain(message)
      } catch (error) {
        assert.ok(isCode('BODY_INVALID')(error), `round ${round}: ${String(error)}`)
      }
    }
  })

  test('ids of IPv6 stores have 56 characters', () => {
    const host: Host = { address: Buffer.from('20010db8000000000000000000010002', 'hex'), port: 10911 }
    assert.equal(encodeOffsetMessageId(host, 5).length, 56)
  })
})

/** All fields of a message as own values. */
function plain(message: Omit<StoredMessage, 'totalSize'>): StoredMessage {
  const host = ({ address, port }: Host) => ({ address: Buffer.from(address), port })
  return {
    totalSize: 0,
    magic: message.magic,
    bodyCrc: message.bodyCrc,
    queueId: message.queueId,
    flag: message.flag,
    queueOffset: message.queueOffset,
    physicalOffset: message.physicalOffset,
    sysFlag: message.sysFlag,
    bornTimestamp: message.bornTimestamp,
    bornHost: host(message.bornHost),
    storeTimestamp: message.storeTimestamp,
    storeHost: host(message.storeHost),
    reconsumeTimes: message.reconsumeTimes,
    preparedTransactionOffset: message.preparedTransactionOffset,
    body: Buffer.from(message.body),
    topic: message.topic,
    propertiesText: message.propertiesText,
  }
}
