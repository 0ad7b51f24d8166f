import { messageQueueSchema, subscriptionDataSchema } from './common.ts'
import { type BodyOf, jsonBody } from './json-body.ts'
import { double, object, objectMap, textMap } from './map-schemas.ts'
import { bool, enumeration, int, list, long, optional, type SchemaOf, text } from './schema.ts'

const processQueueInfoSchema = object({
  commitOffset: long(),
  cachedMsgMinOffset: long(),
  cachedMsgMaxOffset: long(),
  cachedMsgCount: int(),
  cachedMsgSizeInMiB: int(),
  transactionMsgMinOffset: long(),
  transactionMsgMaxOffset: long(),
  transactionMsgCount: int(),
  locked: bool(),
  tryUnlockTimes: long(),
  lastLockTimestamp: long(),
  droped: bool(),
  lastPullTimestamp: long(),
  lastConsumeTimestamp: long(),
})
/** What a consumer holds of a queue. `droped` is the protocol's spelling. */
export type ProcessQueueInfo = SchemaOf<typeof processQueueInfoSchema>

const popProcessQueueInfoSchema = object({ waitAckCount: int(), droped: bool(), lastPopTimestamp: long() })
/** What a POP consumer holds of a queue. */
export type PopProcessQueueInfo = SchemaOf<typeof popProcessQueueInfoSchema>

const consumeStatusSchema = object({
  pullRT: double(),
  pullTPS: double(),
  consumeRT: double(),
  consumeOKTPS: double(),
  consumeFailedTPS: double(),
  consumeFailedMsgs: long(),
})
/** Rates (per second) and times (ms) of a topic. */
export type ConsumeStatus = SchemaOf<typeof consumeStatusSchema>

/** Names in `properties` of {@link consumerRunningInfo}. */
export const runningInfoProperties = {
  nameServerAddr: 'PROP_NAMESERVER_ADDR',
  threadpoolCoreSize: 'PROP_THREADPOOL_CORE_SIZE',
  consumeOrderly: 'PROP_CONSUMEORDERLY',
  consumeType: 'PROP_CONSUME_TYPE',
  clientVersion: 'PROP_CLIENT_VERSION',
  consumerStartTimestamp: 'PROP_CONSUMER_START_TIMESTAMP',
} as const

/** Answer to GET_CONSUMER_RUNNING_INFO. */
export const consumerRunningInfo = jsonBody(
  object({
    properties: textMap(text()),
    subscriptionSet: list(subscriptionDataSchema),
    mqTable: objectMap(messageQueueSchema, processQueueInfoSchema),
    mqPopTable: objectMap(messageQueueSchema, popProcessQueueInfoSchema),
    statusTable: textMap(consumeStatusSchema),
    userConsumerInfo: textMap(text()),
    jstack: optional(text()),
  }),
)
export type ConsumerRunningInfo = BodyOf<typeof consumerRunningInfo>

/** How a consumer's listener ended when it was called for one message. */
export const consumeResults = [
  'CR_SUCCESS',
  'CR_LATER',
  'CR_ROLLBACK',
  'CR_COMMIT',
  'CR_THROW_EXCEPTION',
  'CR_RETURN_NULL',
] as const
export type ConsumeResult = (typeof consumeResults)[number]

/** Answer to CONSUME_MESSAGE_DIRECTLY. */
export const consumeMessageDirectlyResult = jsonBody(
  object({
    order: bool(),
    autoCommit: bool(true),
    consumeResult: enumeration(consumeResults, 'CR_SUCCESS'),
    remark: optional(text()),
    /** ms */
    spentTimeMills: long(),
  }),
)
export type ConsumeMessageDirectlyResult = BodyOf<typeof consumeMessageDirectlyResult>
