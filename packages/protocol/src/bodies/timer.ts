import type { DataVersion } from '@rocketmq-ts/model'
import { readInt64, writeInt64 } from '@rocketmq-ts/model/internal'
import { RocketMqError } from '@rocketmq-ts/runtime'
import type { BodyCodec } from '../define.ts'
import { dataVersionSchema } from './common.ts'
import { type BodyOf, jsonBody } from './json-body.ts'
import { object, textMap } from './map-schemas.ts'
import { long } from './schema.ts'

/** Waiting timer messages per topic: the file timermetrics, and the answer to GET_TIMER_METRICS. */
export const timerMetrics = jsonBody(
  object({ dataVersion: dataVersionSchema, timingCount: textMap(object({ count: long(), timeStamp: long() })) }),
)
export type TimerMetrics = BodyOf<typeof timerMetrics>

/** How far a broker's timer is: answer to GET_TIMER_CHECK_POINT. */
export interface TimerCheckpoint {
  /** ms since 1970. */
  readonly lastReadTimeMs: number
  readonly lastTimerLogFlushPos: number
  readonly lastTimerQueueOffset: number
  readonly masterTimerQueueOffset: number
  /** Old brokers send none. */
  readonly dataVersion?: DataVersion | undefined
}

const CHECKPOINT_BYTES = 56
const OLD_CHECKPOINT_BYTES = 32

/** Seven int64, the last three being the data version; four from old brokers. */
export const timerCheckpoint: BodyCodec<TimerCheckpoint> = {
  encode(value) {
    const { dataVersion } = value
    const buffer = Buffer.alloc(dataVersion === undefined ? OLD_CHECKPOINT_BYTES : CHECKPOINT_BYTES)
    let at = writeInt64(buffer, value.lastReadTimeMs, 0)
    at = writeInt64(buffer, value.lastTimerLogFlushPos, at)
    at = writeInt64(buffer, value.lastTimerQueueOffset, at)
    at = writeInt64(buffer, value.masterTimerQueueOffset, at)
    if (dataVersion !== undefined) {
      at = writeInt64(buffer, dataVersion.stateVersion, at)
      at = writeInt64(buffer, dataVersion.timestamp, at)
      writeInt64(buffer, dataVersion.counter, at)
    }
    return buffer
  },
  decode(bytes) {
    if (bytes.length < OLD_CHECKPOINT_BYTES) {
      throw new RocketMqError('BODY_INVALID', `A timer checkpoint of ${bytes.length} bytes is too short.`)
    }
    return {
      lastReadTimeMs: readInt64(bytes, 0),
      lastTimerLogFlushPos: readInt64(bytes, 8),
      lastTimerQueueOffset: readInt64(bytes, 16),
      masterTimerQueueOffset: readInt64(bytes, 24),
      dataVersion:
        bytes.length < CHECKPOINT_BYTES
          ? undefined
          : { stateVersion: readInt64(bytes, 32), timestamp: readInt64(bytes, 40), counter: readInt64(bytes, 48) },
    }
  },
}
