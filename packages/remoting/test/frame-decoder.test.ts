import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FrameDecoder } from '@rocketmq-ts/remoting/internal'
import { RocketMqError } from '@rocketmq-ts/runtime'
import fc from 'fast-check'

/** `[length:4][payload]` */
function frame(payload: Buffer): Buffer {
  const bytes = Buffer.alloc(4 + payload.length)
  bytes.writeInt32BE(payload.length, 0)
  payload.copy(bytes, 4)
  return bytes
}

function drain(decoder: FrameDecoder): Buffer[] {
  const frames: Buffer[] = []
  while (decoder.next()) frames.push(Buffer.from(decoder.bytes.subarray(decoder.start, decoder.end)))
  return frames
}

test('any split of a stream into chunks yields the same frames', () => {
  const payload = fc.uint8Array({ minLength: 4, maxLength: 700 }).map(bytes => Buffer.from(bytes))
  fc.assert(
    fc.property(
      fc.array(payload, { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 40 }),
      (payloads, steps) => {
        const stream = Buffer.concat(payloads.map(frame))
        const decoder = new FrameDecoder()
        const found: Buffer[] = []
        for (let at = 0, step = 0; at < stream.length; step++) {
          const end = Math.min(stream.length, at + (steps[step % steps.length] as number))
          decoder.push(stream.subarray(at, end))
          found.push(...drain(decoder))
          at = end
        }
        assert.deepEqual(found, payloads)
        assert.equal(decoder.heldBytes, 0)
      },
    ),
    { numRuns: 500 },
  )
})

test('a receiver that stops in the middle of a chunk finds the rest later, also after another chunk', () => {
  const decoder = new FrameDecoder()
  decoder.push(Buffer.concat([frame(Buffer.from('1111')), frame(Buffer.from('2222'))]))
  assert.equal(decoder.next(), true)
  assert.equal(decoder.hasInput, true)
  decoder.push(frame(Buffer.from('3333')))
  assert.deepEqual(drain(decoder).map(String), ['2222', '3333'])
})

test('a frame inside one chunk is yielded in place', () => {
  const chunk = Buffer.concat([frame(Buffer.alloc(10, 1)), frame(Buffer.alloc(20, 2))])
  const decoder = new FrameDecoder()
  decoder.push(chunk)
  assert.equal(decoder.next(), true)
  assert.equal(decoder.bytes, chunk)
  assert.deepEqual([decoder.start, decoder.end], [4, 14])
  assert.equal(decoder.next(), true)
  assert.equal(decoder.bytes, chunk)
  assert.deepEqual([decoder.start, decoder.end], [18, 38])
})

test('an announced frame of 16 MiB of which little has come costs little', () => {
  const decoder = new FrameDecoder()
  const start = Buffer.alloc(10)
  start.writeInt32BE(16_777_212, 0)
  decoder.push(start)
  assert.equal(decoder.next(), false)
  assert.ok(decoder.heldBytes <= 256, `${decoder.heldBytes} bytes are held for 10`)
  for (let received = 10; received < 100_000; received++) {
    decoder.push(Buffer.alloc(1))
    assert.equal(decoder.next(), false)
    assert.ok(decoder.heldBytes <= Math.max(256, 4 * (received + 1)), `${decoder.heldBytes} for ${received}`)
  }
})

test('the frame limit counts the length field, as Java counts it', () => {
  for (const [length, code] of [
    [16_777_212, undefined],
    [16_777_213, 'FRAME_TOO_LARGE'],
    [0x7fffffff, 'FRAME_TOO_LARGE'],
    [4, undefined],
    [3, 'FRAME_INVALID'],
    [0, 'FRAME_INVALID'],
    [-1, 'FRAME_INVALID'],
    [-2147483648, 'FRAME_INVALID'],
  ] as const) {
    const decoder = new FrameDecoder()
    const bytes = Buffer.alloc(4)
    bytes.writeInt32BE(length, 0)
    decoder.push(bytes)
    if (code === undefined) assert.equal(decoder.next(), false)
    else
      assert.throws(
        () => decoder.next(),
        (error: unknown) => RocketMqError.is(error) && error.code === code,
      )
  }
})

test('a length that can not be true is noticed as soon as its four bytes are there, however they come', () => {
  const decoder = new FrameDecoder()
  for (const byte of [0x7f, 0xff, 0xff]) {
    decoder.push(Buffer.from([byte]))
    assert.equal(decoder.next(), false)
  }
  decoder.push(Buffer.from([0xff]))
  assert.throws(() => decoder.next(), { code: 'FRAME_TOO_LARGE' })
})
