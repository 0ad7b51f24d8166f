import { decodeBitSet, encodeBitSet } from '@rocketmq-ts/model'
import { type BodyOf, jsonBody } from './json-body.ts'
import { object } from './map-schemas.ts'
import { int, list, long, optional, type Schema, SchemaMismatch, text } from './schema.ts'

/** Numbers as a bit set in base64. */
function bitSet(): Schema<readonly number[]> {
  return {
    read(value) {
      if (typeof value !== 'string') throw new SchemaMismatch('base64 text', value)
      return decodeBitSet(Buffer.from(value, 'base64'))
    },
    write: value => encodeBitSet(value),
    fallback: () => [],
  }
}

/** Body of BATCH_ACK_MESSAGE: per queue and pop, which messages are done. */
export const batchAckMessageRequestBody = jsonBody(
  object({
    brokerName: optional(text()),
    acks: optional(
      list(
        object({
          /** Consumer group. */
          c: text(),
          /** Topic, without the retry prefix. */
          t: text(),
          /** Retry mark: 0 the topic itself, 1 or 2 its retry topic. */
          r: text('0'),
          /** Queue offset of bit 0. */
          so: long(),
          q: int(),
          /** Revive queue id. */
          rq: int(),
          /** Pop time. */
          pt: long(),
          /** Invisible time, ms. */
          it: long(),
          /** Offsets from `so` that are acknowledged. */
          b: bitSet(),
        }),
      ),
    ),
  }),
)
export type BatchAckMessageRequestBody = BodyOf<typeof batchAckMessageRequestBody>

/** Body of a revive log message tagged `ck`: what a pop handed out. */
export const popCheckPoint = jsonBody(
  object({
    /** Start offset. */
    so: long(),
    pt: long(),
    it: long(),
    /** Bit map of what is done. */
    bm: int(),
    /** Count of messages. */
    n: int(),
    q: int(),
    t: text(),
    c: text(),
    /** Revive offset. */
    ro: long(),
    /** Offsets of the messages, less the start offset. */
    d: optional(list(int())),
    bn: optional(text()),
    /** How often it was put again. */
    rp: optional(text()),
    /** `pt` + `it`; written by Java, not read. */
    reviveTime: optional(long()),
  }),
)
export type PopCheckPoint = BodyOf<typeof popCheckPoint>

const ackShape = {
  /** Acknowledged offset; -1 in a batch. */
  ao: long(),
  so: long(),
  c: text(),
  t: text(),
  q: int(),
  pt: long(),
  bn: optional(text()),
}

/** Body of a revive log message tagged `ack`. */
export const popAckMsg = jsonBody(object(ackShape))
export type PopAckMsg = BodyOf<typeof popAckMsg>

/** Body of a revive log message tagged `bAck`. */
export const popBatchAckMsg = jsonBody(object({ ...ackShape, aol: list(long()) }))
export type PopBatchAckMsg = BodyOf<typeof popBatchAckMsg>
