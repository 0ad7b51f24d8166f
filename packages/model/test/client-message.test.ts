import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeStoredMessage, type Message, messageBody, messageProperties, ReceivedMessage } from '@rocketmq-ts/model'
import { RocketMqError } from '@rocketmq-ts/runtime'
import { goldenVectors, type Vector } from './golden.ts'

const message: Message = { topic: 'T', body: 'hé' }
const isInvalid = (error: unknown) => RocketMqError.is(error) && error.code === 'INVALID_ARGUMENT'

describe('messages to be sent', () => {
  test('the body may be text or bytes, and bytes are not copied', () => {
    assert.deepEqual(messageBody(message), Buffer.from('hé', 'utf8'))
    const bytes = new Uint8Array(8).subarray(2, 5)
    const body = messageBody({ topic: 'T', body: bytes })
    assert.equal(body.length, 3)
    bytes[0] = 9
    assert.equal(body[0], 9)
    const buffer = Buffer.from('x')
    assert.equal(messageBody({ topic: 'T', body: buffer }), buffer)
  })

  test('what the user gives becomes properties, WAIT is always there', () => {
    assert.deepEqual([...messageProperties(message)], [['WAIT', 'true']])
    const properties = messageProperties({
      ...message,
      tags: 'A',
      keys: ['k1', 'k2'],
      shardingKey: 's',
      properties: { mine: 'x' },
      waitStoreOk: false,
      delayLevel: 3,
      uniqueKey: 'U',
    })
    assert.deepEqual(Object.fromEntries(properties), {
      mine: 'x',
      TAGS: 'A',
      KEYS: 'k1 k2',
      __SHARDINGKEY: 's',
      WAIT: 'false',
      DELAY: '3',
      UNIQ_KEY: 'U',
    })
    assert.equal(messageProperties({ ...message, delayMs: 5 }).get('TIMER_DELAY_MS'), '5')
    assert.equal(messageProperties({ ...message, deliverAtMs: 7 }).get('TIMER_DELIVER_MS'), '7')
    assert.equal(messageProperties({ ...message, keys: 'k1 k2' }).get('KEYS'), 'k1 k2')
  })

  test('what would be misread is refused', () => {
    const bad: Partial<Message>[] = [
      { properties: { TAGS: 'x' } },
      { properties: { '__RMQ.TRANSIENT.x': 'x' } },
      { properties: { ' ': 'x' } },
      { properties: { a: '' } },
      { keys: ['a b'] },
      { keys: [''] },
      { delayLevel: -1 },
      { delayMs: 1.5 },
      { delayLevel: 1, delayMs: 1 },
    ]
    for (const part of bad) assert.throws(() => messageProperties({ ...message, ...part }), isInvalid)
  })
})

describe('messages received', () => {
  const vectors = goldenVectors<Vector & { hex: string }>('messages.json')
  const storedOf = (name: string) => decodeStoredMessage(Buffer.from(vectors.find(v => v.name === name)!.hex, 'hex'))

  test('properties, keys and ids are those of the record', () => {
    const received = new ReceivedMessage(storedOf('v1_simple'), { brokerName: 'b', topic: 'Mine' })
    assert.equal(received.messageId, 'C0A80001162E7E0774D80C9E5B9B0000')
    assert.equal(received.offsetMessageId, '0A00000200002A9F000000012A05F200')
    assert.equal(received.tags, 'TagA')
    assert.deepEqual(received.keys, ['k1', 'k2'])
    assert.equal(received.properties.get('WAIT'), 'true')
    assert.equal(received.property('WAIT'), 'true')
    assert.equal(received.property('none'), undefined)
    assert.equal(received.text(), 'hello golden')
    assert.equal(received.topic, 'Mine')
    assert.equal(received.brokerName, 'b')
    assert.equal(received.bornHost, '192.168.1.7:54321')
    assert.equal(received.storeHost, '10.0.0.2:10911')
    assert.equal(received.flag, 7)
    assert.equal(received.shardingKey, undefined)
  })

  test('a message without UNIQ_KEY goes by its place', () => {
    const received = new ReceivedMessage(storedOf('v1_no_properties'))
    assert.equal(received.messageId, received.offsetMessageId)
    assert.deepEqual(received.keys, [])
  })

  test('a decompressed body stands for the stored one, and the flag no longer says compressed', () => {
    const stored = storedOf('v1_compressed_zlib')
    const received = new ReceivedMessage(stored, { body: Buffer.from('plain') })
    assert.equal(received.text(), 'plain')
    assert.equal(received.sysFlag, stored.sysFlag - 1)
  })
})
