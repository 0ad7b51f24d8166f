import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  CRC_PROPERTY_BYTES,
  checkRecord,
  crcPropertyText,
  decodeStoredMessage,
  encodeStoredMessage,
  magicBlank,
  magicV1,
  type RecordCheck,
  readCrcProperty,
  writeCrcProperty,
} from '@rocketmq-ts/model'
import { seededRandom } from '@rocketmq-ts/runtime'
import fc from 'fast-check'
import { goldenVectors, type Vector } from './golden.ts'
import { storedMessageArbitrary } from './stored-message-arbitrary.ts'

const noCrc = { verifyBodyCrc: false, verifyPropertyCrc: false }
const bodyCrcOnly = { verifyBodyCrc: true, verifyPropertyCrc: false }
const propertyCrc = { verifyBodyCrc: true, verifyPropertyCrc: true }

const goldens = goldenVectors<Vector & { hex: string }>('messages.json').map(({ hex }) => Buffer.from(hex, 'hex'))

function check(buffer: Buffer, options = bodyCrcOnly): RecordCheck {
  return checkRecord(buffer, 0, buffer.length, options)
}

describe('checking records', () => {
  test('golden records are whole, with the parts that decoding finds', () => {
    for (const buffer of goldens) {
      const result = check(buffer)
      assert.equal(result.kind, 'record')
      if (result.kind !== 'record') continue
      const message = decodeStoredMessage(buffer)
      const { shape } = result
      assert.equal(shape.totalSize, message.totalSize)
      assert.deepEqual(buffer.subarray(shape.bodyStart, shape.bodyEnd), message.body)
      assert.equal(buffer.toString('utf8', shape.topicStart, shape.topicEnd), message.topic)
      assert.equal(buffer.toString('utf8', shape.propertiesStart, shape.propertiesEnd), message.propertiesText)
    }
  })

  test('a record cut at any place is incomplete, never whole', () => {
    for (const buffer of goldens) {
      const size = buffer.readInt32BE(0)
      for (let limit = 0; limit < size; limit++) {
        assert.equal(checkRecord(buffer, 0, limit, bodyCrcOnly).kind, 'incomplete')
      }
    }
  })

  test('places where nothing was written are empty, fillers are blank', () => {
    assert.deepEqual(check(Buffer.alloc(100)), { kind: 'empty' })
    const filler = Buffer.alloc(8)
    filler.writeInt32BE(12345, 0)
    filler.writeInt32BE(magicBlank, 4)
    assert.deepEqual(check(filler), { kind: 'blank', totalSize: 12345 })
    filler.writeInt32BE(7, 0)
    assert.equal(check(filler).kind, 'invalid')
    assert.equal(check(Buffer.alloc(7)).kind, 'incomplete')
  })

  test('sizes and magics that cannot be are invalid', () => {
    const buffer = Buffer.from(goldens[0]!)
    for (const size of [-1, -2147483648, 0, 1, 90]) {
      buffer.writeInt32BE(size, 0)
      assert.equal(check(buffer).kind, 'invalid', String(size))
    }
    buffer.writeInt32BE(2147483647, 0)
    assert.equal(check(buffer).kind, 'incomplete')
    const other = Buffer.from(goldens[0]!)
    other.writeInt32BE(magicV1 + 1, 4)
    assert.equal(check(other).kind, 'invalid')
  })

  test('a size that the parts do not add up to is invalid but known', () => {
    const buffer = Buffer.concat([goldens[0]!, Buffer.alloc(1)])
    buffer.writeInt32BE(goldens[0]!.length + 1, 0)
    const result = check(buffer)
    assert.ok(result.kind === 'invalid' && result.totalSize === buffer.length)
  })

  test('a changed body is found by the body CRC only', () => {
    const buffer = Buffer.from(goldens[0]!)
    const whole = check(buffer)
    assert.ok(whole.kind === 'record')
    buffer[whole.shape.bodyStart]! ^= 1
    assert.equal(check(buffer, noCrc).kind, 'record')
    const result = check(buffer, bodyCrcOnly)
    assert.ok(result.kind === 'invalid' && /body CRC/.test(result.reason))
  })

  test('any change of one bit is found by the appended CRC', () => {
    fc.assert(
      fc.property(storedMessageArbitrary, fc.nat(), (message, place) => {
        const propertiesText = message.propertiesText.replace(/.{1,20}$/, '') + crcPropertyText(0)
        const buffer = encodeStoredMessage({ ...message, propertiesText })
        writeCrcProperty(buffer, 0, buffer.length)
        assert.equal(check(buffer, propertyCrc).kind, 'record')
        buffer[Math.floor(place / 8) % buffer.length]! ^= 1 << (place % 8)
        assert.notEqual(check(buffer, propertyCrc).kind, 'record')
      }),
      { seed: 9, numRuns: 500 },
    )
  })

  test('a record without appended CRC is invalid where one is required', () => {
    const result = check(goldens[0]!, propertyCrc)
    assert.ok(result.kind === 'invalid' && /missing/.test(result.reason))
  })

  test('no bytes make it throw or claim more than there is', () => {
    const random = seededRandom(99)
    for (let round = 0; round < 20_000; round++) {
      const buffer = Buffer.from(goldens[random.int(goldens.length)]!)
      for (let edits = random.int(6); edits >= 0; edits--) buffer[random.int(buffer.length)] = random.int(256)
      const offset = random.int(4) === 0 ? random.int(buffer.length) : 0
      const result = checkRecord(buffer, offset, buffer.length, random.int(2) === 0 ? noCrc : propertyCrc)
      if (result.kind === 'record') {
        const { shape } = result
        assert.ok(shape.propertiesEnd <= buffer.length && shape.propertiesEnd === offset + shape.totalSize)
        assert.ok(shape.bodyStart <= shape.bodyEnd && shape.topicStart <= shape.topicEnd)
        decodeStoredMessage(buffer, offset)
      }
    }
  })
})

describe('the appended CRC', () => {
  interface CrcVector extends Vector {
    readonly value: number
    readonly hex: string
    readonly text: string
  }

  for (const vector of goldenVectors<CrcVector>('properties.json', 'crc')) {
    test(`${vector.name} is written and read as Java does`, () => {
      assert.equal(crcPropertyText(vector.value), vector.text)
      const bytes = Buffer.from(vector.hex, 'hex')
      assert.equal(bytes.length, CRC_PROPERTY_BYTES)
      assert.equal(readCrcProperty(bytes, 0, bytes.length), vector.value)
    })
  }

  test('anything else at the end is no CRC', () => {
    for (const text of [
      '',
      'short',
      '__CRC32#\u00011234567890',
      '__CRC32#\u0001123456789x\u0002',
      '__CRC32?\u00011234567890\u0002',
    ]) {
      const bytes = Buffer.from(text.padStart(30, 'p'))
      assert.equal(readCrcProperty(bytes, 0, bytes.length), -1)
    }
    const whole = Buffer.from(crcPropertyText(5))
    assert.equal(readCrcProperty(whole, 1, whole.length), -1)
  })
})
