import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { ReceivedMessage } from '@rocketmq-ts/client'
import { messagesOf, PulledBatch } from '@rocketmq-ts/client/internal'
import { encodeBatch, encodeStoredMessage, formatHost, magicV2, sysFlag } from '@rocketmq-ts/model'
import fc from 'fast-check'
import { pulledFrom, record, storedMessage } from '../support/records.ts'

const decode = (body: Buffer) => messagesOf(PulledBatch.decode(pulledFrom(), body), ReceivedMessage)

/** Anything a broker may store, in both layouts and with both kinds of addresses. */
const stored = fc
  .record({
    magic: fc.constantFrom(storedMessage().magic, magicV2),
    queueOffset: fc.maxSafeNat(),
    physicalOffset: fc.maxSafeNat(),
    flag: fc.integer(),
    bornV6: fc.boolean(),
    storeV6: fc.boolean(),
    reconsumeTimes: fc.nat(100),
    body: fc.uint8Array({ maxLength: 50 }),
    topic: fc.string({ unit: fc.constantFrom('a', 'B', '9', '_', '%'), minLength: 1, maxLength: 127 }),
    propertiesText: fc.constantFrom('', 'TAGS\u0001t\u0002', 'KEYS\u0001k1 k2\u0002UNIQ_KEY\u0001U\u0002'),
  })
  .map(({ bornV6, storeV6, body, ...rest }) => ({
    ...storedMessage(),
    ...rest,
    body: Buffer.from(body),
    sysFlag: (bornV6 ? sysFlag.bornHostV6 : 0) | (storeV6 ? sysFlag.storeHostV6 : 0),
    bornHost: { address: Buffer.alloc(bornV6 ? 16 : 4, 1), port: 1 },
    storeHost: { address: Buffer.alloc(storeV6 ? 16 : 4, 2), port: 65_535 },
  }))

test('a view shows what the record holds, in either layout, with either kind of address', () => {
  fc.assert(
    fc.property(fc.array(stored, { maxLength: 5 }), records => {
      const messages = decode(Buffer.concat(records.map(encodeStoredMessage)))
      assert.equal(messages.length, records.length)
      for (const [i, expected] of records.entries()) {
        const message = messages[i]!
        assert.equal(message.queueOffset, expected.queueOffset)
        assert.equal(message.physicalOffset, expected.physicalOffset)
        assert.equal(message.flag, expected.flag)
        assert.equal(message.reconsumeTimes, expected.reconsumeTimes)
        assert.equal(message.bornTimestamp, expected.bornTimestamp)
        assert.equal(message.storeTimestamp, expected.storeTimestamp)
        assert.equal(message.storedTopic, expected.topic)
        assert.equal(message.propertiesText, expected.propertiesText)
        assert.equal(message.bornHost, formatHost(expected.bornHost))
        assert.equal(message.storeHost, formatHost(expected.storeHost))
        assert.deepEqual(message.body, expected.body)
      }
    }),
  )
})

test('damaged bytes give an error with a place, never anything else', () => {
  const good = Buffer.concat([record({ tags: 't' }), record({ keys: 'k' })])
  fc.assert(
    fc.property(fc.nat(good.length - 1), fc.nat(255), fc.integer({ min: 0, max: good.length }), (at, value, end) => {
      const bytes = Buffer.from(good.subarray(0, end))
      if (at < end) bytes[at] = value
      try {
        for (const message of decode(bytes)) {
          message.storedBody
          message.properties
          message.storeHost
        }
      } catch (error) {
        assert.equal((error as { code: string }).code, 'BODY_INVALID')
      }
    }),
    { numRuns: 2000 },
  )
})

test('a compressed body is decompressed when it is read; what does not decompress is an error then, not before', () => {
  const body = deflateSync(Buffer.from('hello '.repeat(100)))
  const [good] = decode(record({ body, sysFlag: sysFlag.compressed }))
  assert.equal(good!.text(), 'hello '.repeat(100))
  assert.equal(good!.body, good!.body, 'once')
  const [bad] = decode(record({ body: 'no zlib', sysFlag: sysFlag.compressed }))
  assert.throws(() => bad!.body, { code: 'DECOMPRESS_FAILED' })
  assert.equal(bad!.storedBody.toString(), 'no zlib')
})

test('an inner batch becomes the messages it holds, also when it is compressed', () => {
  const entries = ['a', 'b', 'c'].map((text, i) => ({
    flag: i,
    body: Buffer.from(text),
    propertiesText: `TAGS\u0001t${i}\u0002`,
  }))
  const flags = sysFlag.needUnwrap | sysFlag.innerBatch
  for (const compressed of [false, true]) {
    const plain = encodeBatch(entries)
    const body = compressed ? deflateSync(plain) : plain
    const outer = { queueOffset: 10, physicalOffset: 77, sysFlag: flags | (compressed ? sysFlag.compressed : 0) }
    const messages = decode(Buffer.concat([record({ ...outer, body }), record({ queueOffset: 13 })]))
    assert.deepEqual(
      messages.map(message => message.queueOffset),
      [10, 11, 12, 13],
    )
    assert.deepEqual(
      messages.slice(0, 3).map(message => message.text()),
      ['a', 'b', 'c'],
    )
    assert.deepEqual(
      messages.slice(0, 3).map(message => message.tags),
      ['t0', 't1', 't2'],
    )
    assert.deepEqual(
      messages.slice(0, 3).map(message => message.physicalOffset),
      [77, 77, 77],
    )
  }
})

test('the offset delta of a static topic is added to each queue offset', () => {
  const batch = PulledBatch.decode({ ...pulledFrom(), offsetDelta: 1000 }, record({ queueOffset: 5 }))
  assert.equal(batch.offsetAt(0), 1005)
  assert.equal(new ReceivedMessage(batch, 0).queueOffset, 1005)
})
