import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deflateSync, inflateSync } from 'node:zlib'
import { bodyCrc, topicConfig } from '@rocketmq-ts/model'
import {
  decodeCompressedRegisterBrokerBody,
  encodeCompressedRegisterBrokerBody,
  type RegisterBrokerBody,
} from '@rocketmq-ts/protocol'
import { RocketMqError, seededRandom } from '@rocketmq-ts/runtime'
import { goldenVectors } from '../golden.ts'

interface CompressedVector {
  readonly name: string
  readonly hex: string
  readonly rawHex: string
  readonly crc32: number
  readonly decoded: Record<string, object>
}

const golden = goldenVectors<CompressedVector>('bodies.json').find(({ name }) => name === 'register_broker_compressed')!
const goldenBytes = Buffer.from(golden.hex, 'hex')

function isBodyInvalid(error: unknown): boolean {
  return RocketMqError.is(error) && error.code === 'BODY_INVALID'
}

describe('the compressed registration body', () => {
  test('the golden body decodes, and encodes to the same bytes before compression', () => {
    const body = decodeCompressedRegisterBrokerBody(goldenBytes, 479)
    assert.deepEqual(Object.fromEntries(body.topicConfigSerializeWrapper.topicConfigTable), golden.decoded)
    assert.deepEqual(body.filterServerList, ['10.0.0.9:30000'])
    assert.deepEqual(body.topicConfigSerializeWrapper.topicQueueMappingInfoMap.get('TopicStatic')?.currIdMap.get(2), 1)
    assert.equal(inflateSync(encodeCompressedRegisterBrokerBody(body, 479)).toString('hex'), golden.rawHex)
  })

  test('its CRC is that of the compressed bytes', () => {
    assert.equal(bodyCrc(goldenBytes), golden.crc32)
  })

  test('a sender below version 413 has no static topics in it', () => {
    const body = decodeCompressedRegisterBrokerBody(goldenBytes, 412)
    assert.equal(body.topicConfigSerializeWrapper.topicQueueMappingInfoMap.size, 0)
    const old = encodeCompressedRegisterBrokerBody(decodeCompressedRegisterBrokerBody(goldenBytes, 479), 412)
    assert.ok(inflateSync(old).length < golden.rawHex.length / 2)
    assert.throws(() => decodeCompressedRegisterBrokerBody(old, 479), isBodyInvalid)
  })

  test('attributes that cannot be read are dropped, a topic with too few parts is refused', () => {
    const withTopic = (text: string) => {
      const part = (bytes: Buffer) => Buffer.concat([int(bytes.length), bytes])
      const int = (value: number) => {
        const bytes = Buffer.alloc(4)
        bytes.writeInt32BE(value)
        return bytes
      }
      return deflateSync(
        Buffer.concat([part(Buffer.from('{}')), int(1), part(Buffer.from(text)), part(Buffer.from('[]')), int(0)]),
      )
    }
    const topicOf = (text: string) =>
      decodeCompressedRegisterBrokerBody(withTopic(text), 479).topicConfigSerializeWrapper.topicConfigTable.get('T')
    assert.deepEqual(topicOf('T 1 2 6 SINGLE_TAG {broken'), topicConfig('T', { readQueueNums: 1, writeQueueNums: 2 }))
    assert.deepEqual(topicOf('T 1 2 6 MULTI_TAG')?.topicFilterType, 'MULTI_TAG')
    assert.throws(() => topicOf('T 1 2 6'), isBodyInvalid)
    assert.throws(() => topicOf('T one 2 6 SINGLE_TAG'), isBodyInvalid)
  })

  test('a body that decompresses to more than the limit is refused', () => {
    const topics = new Map(Array.from({ length: 2000 }, (_, i) => [`T${i}`, topicConfig(`T${i}`)] as const))
    const zero = { stateVersion: 0, timestamp: 0, counter: 0 }
    const body: RegisterBrokerBody = {
      filterServerList: [],
      topicConfigSerializeWrapper: {
        dataVersion: zero,
        mappingDataVersion: zero,
        topicConfigTable: topics,
        topicQueueMappingDetailMap: new Map(),
        topicQueueMappingInfoMap: new Map(),
      },
    }
    const bytes = encodeCompressedRegisterBrokerBody(body, 479)
    assert.deepEqual(decodeCompressedRegisterBrokerBody(bytes, 479), body)
    assert.throws(() => decodeCompressedRegisterBrokerBody(bytes, 479, 10_000), isBodyInvalid)
  })

  test('mutilated bytes give a body or BODY_INVALID', () => {
    const random = seededRandom(413)
    const raw = Buffer.from(golden.rawHex, 'hex')
    for (let round = 0; round < 3000; round++) {
      const bytes = Buffer.from(raw)
      for (let edits = random.int(4); edits >= 0; edits--) bytes[random.int(bytes.length)] = random.int(256)
      const sent = round % 10 === 0 ? bytes : deflateSync(bytes.subarray(0, raw.length - random.int(40)), { level: 1 })
      try {
        decodeCompressedRegisterBrokerBody(sent, 479)
      } catch (error) {
        assert.ok(isBodyInvalid(error), `round ${round}: ${String(error)}`)
      }
    }
  })
})
