import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  buildClientId,
  decodeOffsetMessageId,
  decodeRecallHandle,
  decodeUniqueId,
  encodeOffsetMessageId,
  encodeRecallHandle,
  formatAddress,
  parseAddress,
  timeOfUniqueId,
  UniqueIdGenerator,
} from '@rocketmq-ts/model'
import type { Clock } from '@rocketmq-ts/runtime'
import { RocketMqError, systemClock } from '@rocketmq-ts/runtime'
import fc from 'fast-check'
import { assertKinds, goldenVectors, type Vector } from './golden.ts'

const isInvalid = (error: unknown) => RocketMqError.is(error) && error.code === 'INVALID_ARGUMENT'

/** A clock of which only the wall time is used. */
function clockAt(time: { now: number }): Clock {
  return { ...systemClock, now: () => time.now }
}

describe('offset message ids', () => {
  test('all kinds of golden ids are known', () => {
    assertKinds('ids.json', ['offsetMsgId', 'uniqId', 'recallHandle'])
  })

  interface OffsetVector extends Vector {
    readonly id: string
    readonly decoded: { ip: string; port: number; offset: string }
  }

  for (const { name, id, decoded } of goldenVectors<OffsetVector>('ids.json', 'offsetMsgId')) {
    test(`${name} decodes and encodes as Java does`, () => {
      const { host, physicalOffset } = decodeOffsetMessageId(id)
      assert.equal(formatAddress(host.address), decoded.ip)
      assert.equal(host.port, decoded.port)
      assert.equal(physicalOffset, Number(decoded.offset))
      assert.deepEqual(decodeOffsetMessageId(id.toLowerCase()), { host, physicalOffset })
      const isExact = Number.isSafeInteger(physicalOffset) || decoded.offset === '9223372036854775807'
      if (isExact) assert.equal(encodeOffsetMessageId(host, physicalOffset), id)
    })
  }

  test('what is no id is refused', () => {
    for (const id of ['', '00', 'Z'.repeat(32), 'A'.repeat(31), 'A'.repeat(40), `${'A'.repeat(31)}é`]) {
      assert.throws(() => decodeOffsetMessageId(id), isInvalid, id)
    }
  })
})

describe('unique ids', () => {
  interface UniqVector extends Vector {
    readonly id: string
    readonly decoded: { ip: string; pid: number; loaderHash: number; millisSinceMonthStart: number; counter: number }
  }

  for (const { name, id, decoded } of goldenVectors<UniqVector>('ids.json', 'uniqId')) {
    const address = parseAddress(decoded.ip)!
    test(`${name} decodes as Java does`, () => {
      assert.deepEqual(decodeUniqueId(id), {
        address,
        processId: decoded.pid,
        discriminator: decoded.loaderHash,
        millisSinceMonthStart: decoded.millisSinceMonthStart,
        counter: decoded.counter,
      })
    })

    test(`${name} is what the generator makes at that moment`, () => {
      const month = new Date(2024, 2, 1).getTime()
      const time = { now: month + decoded.millisSinceMonthStart }
      const generator = new UniqueIdGenerator(clockAt(time), {
        address,
        processId: decoded.pid,
        discriminator: decoded.loaderHash,
      })
      for (let i = 0; i < decoded.counter; i++) generator.next()
      assert.equal(generator.next(), id)
      assert.equal(timeOfUniqueId(id, time.now + 1), time.now)
    })
  }

  test('no id repeats within 65536, and the counter wraps', () => {
    const time = { now: new Date(2024, 5, 15, 12).getTime() }
    const generator = new UniqueIdGenerator(clockAt(time), { address: Buffer.alloc(4), processId: 1, discriminator: 2 })
    const ids = new Set(Array.from({ length: 65536 }, () => generator.next()))
    assert.equal(ids.size, 65536)
    assert.ok(ids.has(generator.next()))
    time.now++
    assert.ok(!ids.has(generator.next()))
  })

  test('a new month moves the base; a clock set back over its start counts as the start', () => {
    const month = new Date(2024, 6, 1).getTime()
    const time = { now: month - 5 }
    const generator = new UniqueIdGenerator(clockAt(time), { address: Buffer.alloc(4), processId: 1, discriminator: 2 })
    assert.equal(decodeUniqueId(generator.next()).millisSinceMonthStart, month - 5 - new Date(2024, 5, 1).getTime())
    time.now = month + 3
    assert.equal(decodeUniqueId(generator.next()).millisSinceMonthStart, 3)
    time.now = month - 999_999
    assert.equal(decodeUniqueId(generator.next()).millisSinceMonthStart, 0)
    time.now = month - 1_000_000
    assert.equal(decodeUniqueId(generator.next()).millisSinceMonthStart, 2 ** 32 - 1_000_000)
  })

  test('an id from the end of last month is dated there', () => {
    const made = new Date(2024, 5, 30, 23, 59, 59, 999).getTime()
    const generator = new UniqueIdGenerator(clockAt({ now: made }), {
      address: Buffer.alloc(16),
      processId: 1,
      discriminator: 2,
    })
    const id = generator.next()
    assert.equal(id.length, 56)
    assert.equal(timeOfUniqueId(id, new Date(2024, 6, 1, 0, 1).getTime()), made)
  })

  test('what is no unique id is refused', () => {
    assert.throws(() => decodeUniqueId('k1'), isInvalid)
    assert.throws(() => decodeUniqueId('x'.repeat(32)), isInvalid)
  })
})

describe('recall handles', () => {
  interface HandleVector extends Vector {
    readonly id: string
    readonly decoded: { topic: string; brokerName: string; timestampStr: string; messageId: string }
  }

  for (const { name, id, decoded } of goldenVectors<HandleVector>('ids.json', 'recallHandle')) {
    const { topic, brokerName, timestampStr, messageId } = decoded
    const handle = { topic, brokerName, timestampText: timestampStr, messageId }
    test(`${name} decodes and encodes as Java does`, () => {
      assert.deepEqual(decodeRecallHandle(id), handle)
      assert.equal(encodeRecallHandle(handle), id)
    })
  }

  test('handles come back', () => {
    const word = fc.string({ unit: 'grapheme', minLength: 1 }).filter(text => !text.includes(' '))
    const handle = fc.record(
      { topic: word, brokerName: word, timestampText: word, messageId: word },
      { noNullPrototype: true },
    )
    fc.assert(
      fc.property(handle, value => {
        assert.deepEqual(decodeRecallHandle(encodeRecallHandle(value)), value)
      }),
      { seed: 12, numRuns: 200 },
    )
  })

  test('what is no handle is refused', () => {
    const encoded = (text: string) => Buffer.from(text).toString('base64url')
    for (const handle of ['', '!', 'A', 'a+b/', encoded('v2 T b 1 M'), encoded('v1 T b 1'), encoded('v1')]) {
      assert.throws(() => decodeRecallHandle(handle), isInvalid, handle)
    }
  })
})

describe('client ids', () => {
  test('parts are joined in Java order, blank units left out', () => {
    assert.equal(buildClientId({ ip: '1.2.3.4', instanceName: '7#8' }), '1.2.3.4@7#8')
    assert.equal(buildClientId({ ip: '1.2.3.4', instanceName: 'i', unitName: 'u' }), '1.2.3.4@i@u')
    assert.equal(buildClientId({ ip: 'h', instanceName: 'i', unitName: ' ', stream: true }), 'h@i@STREAM')
  })
})
