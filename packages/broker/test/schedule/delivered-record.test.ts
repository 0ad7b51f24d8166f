import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { crc32, decodeStoredMessage, encodeProperties, encodeStoredMessage } from '@rocketmq-ts/model'
import { DeliveredRecord } from '../../dist/schedule/delivered-record.js'

const { pairs } = JSON.parse(
  readFileSync(new URL('../../test/golden/schedule/delivered.json', import.meta.url), 'utf8'),
) as { pairs: { name: string; waiting: string; delivered: string }[] }

for (const { name, waiting, delivered } of pairs) {
  test(`a delayed message of Java's (${name}) becomes what Java made of it`, () => {
    const delivery = new DeliveredRecord()
    assert.equal(delivery.take(Buffer.from(waiting, 'hex')), undefined)
    const { record } = delivery
    const expected = decodeStoredMessage(Buffer.from(delivered, 'hex'), 0)
    const bytes = encodeStoredMessage({
      ...record,
      magic: expected.magic,
      bodyCrc: crc32(record.body) & 0x7fffffff,
      propertiesText: record.properties.toString(),
      queueOffset: expected.queueOffset,
      physicalOffset: expected.physicalOffset,
      storeTimestamp: expected.storeTimestamp,
    })
    assert.equal(bytes.toString('hex'), delivered)
  })
}

const first = decodeStoredMessage(Buffer.from(pairs[0]!.waiting, 'hex'), 0)
const withProperties = (properties: Record<string, string>) =>
  encodeStoredMessage({ ...messageFields(), propertiesText: encodeProperties(properties) })

function messageFields() {
  const { magic, bodyCrc, queueId, flag, queueOffset, physicalOffset, sysFlag, bornTimestamp, bornHost } = first
  const { storeTimestamp, storeHost, reconsumeTimes, preparedTransactionOffset, body, topic, propertiesText } = first
  return {
    ...{ magic, bodyCrc, queueId, flag, queueOffset, physicalOffset, sysFlag, bornTimestamp, bornHost, storeTimestamp },
    ...{ storeHost, reconsumeTimes, preparedTransactionOffset, body, topic, propertiesText },
  }
}

test('tags, keys and the unique key are found again for the queue and the index; the last of equal names wins', () => {
  const delivery = new DeliveredRecord()
  const text =
    'TAGS\u0001Aa\u0002KEYS\u0001k1 k2\u0002UNIQ_KEY\u0001u\u0002REAL_TOPIC\u0001no\u0002REAL_TOPIC\u0001T\u0002REAL_QID\u00013\u0002'
  assert.equal(delivery.take(encodeStoredMessage({ ...messageFields(), propertiesText: text })), undefined)
  const { topic, topicBytes, queueId, tagsCode, keys, uniqueKey, properties } = delivery.record
  assert.deepEqual([topic, topicBytes.toString(), queueId], ['T', 'T', 3])
  assert.deepEqual([tagsCode, keys, uniqueKey], [2112, 'k1 k2', 'u'])
  assert.equal(properties.toString(), text)
})

test('a checksum of the waiting record is not handed on', () => {
  const delivery = new DeliveredRecord()
  const stored = withProperties({ REAL_TOPIC: 'T', REAL_QID: '0', '__CRC32#': '0123456789' })
  assert.equal(delivery.take(stored), undefined)
  assert.equal(delivery.record.properties.toString(), 'REAL_TOPIC\u0001T\u0002REAL_QID\u00010\u0002')
})

test('what can not be delivered says why', () => {
  const delivery = new DeliveredRecord()
  const damaged = Buffer.from(pairs[0]!.waiting, 'hex')
  damaged[100]! ^= 1
  assert.match(delivery.take(damaged)!, /body CRC/)
  assert.match(delivery.take(Buffer.from(pairs[0]!.waiting, 'hex').subarray(0, 200))!, /with 200 left/)
  assert.match(
    delivery.take(Buffer.concat([Buffer.from(pairs[0]!.waiting, 'hex'), Buffer.alloc(3)]))!,
    /its entry says/,
  )
  assert.equal(delivery.take(Buffer.alloc(100)), 'it is empty')
  assert.equal(delivery.take(withProperties({ REAL_QID: '0' })), 'it has no REAL_TOPIC')
  for (const id of ['-1', 'x', '2147483648', '']) {
    assert.equal(delivery.take(withProperties({ REAL_TOPIC: 'T', REAL_QID: id })), 'it has no valid REAL_QID')
  }
  for (const topic of ['RMQ_SYS_TRANS_HALF_TOPIC', 'SCHEDULE_TOPIC_XXXX']) {
    assert.equal(delivery.take(withProperties({ REAL_TOPIC: topic, REAL_QID: '0' })), `its topic is ${topic}`)
  }
})
