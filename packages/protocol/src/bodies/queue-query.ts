import { subscriptionDataSchema } from './common.ts'
import { type BodyOf, jsonBody } from './json-body.ts'
import { object, textMap } from './map-schemas.ts'
import { anything, bigLong, bool, int, list, long, optional, text } from './schema.ts'

/** Answer to QUERY_CONSUME_QUEUE. */
export const queryConsumeQueueResponseBody = jsonBody(
  object({
    subscriptionData: optional(subscriptionDataSchema),
    /** JSON text, or the text `null`. */
    filterData: optional(text()),
    maxQueueIndex: long(),
    minQueueIndex: long(),
    queueData: optional(
      list(
        object({
          physicOffset: long(),
          physicSize: int(),
          tagsCode: bigLong(),
          extendDataJson: optional(text()),
          bitMap: optional(text()),
          eval: bool(),
          msg: optional(text()),
        }),
      ),
    ),
  }),
)
export type QueryConsumeQueueResponseBody = BodyOf<typeof queryConsumeQueueResponseBody>

/** Answer to CHECK_ROCKSDB_CQ_WRITE_PROGRESS: 0 equal, 1 not, 2 in progress, 3 error. */
export const checkRocksdbCqWriteResult = jsonBody(object({ checkResult: optional(text()), checkStatus: int() }))
export type CheckRocksdbCqWriteResult = BodyOf<typeof checkRocksdbCqWriteResult>

/** Answer to GET_COLD_DATA_FLOW_CTR_INFO. Bytes. */
export const coldDataFlowCtrInfo = jsonBody(
  object({
    runtimeTable: textMap(anything()),
    configTable: textMap(long()),
    cgColdReadThreshold: long(),
    globalColdReadThreshold: long(),
    globalAcc: long(),
  }),
)
export type ColdDataFlowCtrInfo = BodyOf<typeof coldDataFlowCtrInfo>
