import { dataVersionSchema, messageQueueSchema } from './common.ts'
import { type BodyOf, jsonBody } from './json-body.ts'
import { intMap, object, objectMap, textMap } from './map-schemas.ts'
import { int, list, long, oneLineList, optional, text } from './schema.ts'

/** Offsets of all groups: consumerOffset.json, and the answer to GET_ALL_CONSUMER_OFFSET. */
export const consumerOffsetWrapper = jsonBody(
  object({
    /** Old brokers have none. */
    dataVersion: optional(dataVersionSchema),
    /** Written by Java's broker beside the table; says nothing new. */
    groupTopicMap: optional(textMap(oneLineList(text()))),
    /** `topic@group` to queue id to offset. */
    offsetTable: textMap(intMap(long())),
    /** `topic@group` to offset, of light queues: lmqConsumerOffset.json only. */
    lmqOffsetTable: optional(textMap(long())),
  }),
)
export type ConsumerOffsetWrapper = BodyOf<typeof consumerOffsetWrapper>

/** Progress of the delay levels: delayOffset.json, and the answer to GET_ALL_DELAY_OFFSET. */
export const delayOffsetWrapper = jsonBody(
  object({ dataVersion: optional(dataVersionSchema), offsetTable: intMap(long()) }),
)
export type DelayOffsetWrapper = BodyOf<typeof delayOffsetWrapper>

/** Body of RESET_CONSUMER_CLIENT_OFFSET, answer to INVOKE_BROKER_TO_RESET_OFFSET. Long.MAX_VALUE (2^63) means the end. */
export const resetOffsetBody = jsonBody(object({ offsetTable: objectMap(messageQueueSchema, long()) }))
export type ResetOffsetBody = BodyOf<typeof resetOffsetBody>

/** The same as a list, for C++ clients. */
export const resetOffsetBodyForC = jsonBody(
  object({
    offsetTable: list(object({ topic: text(), brokerName: text(), queueId: int(), offset: long() })),
  }),
)
export type ResetOffsetBodyForC = BodyOf<typeof resetOffsetBodyForC>

/**
 * Answer to GET_CONSUMER_STATUS_FROM_CLIENT (only the first table) and to INVOKE_BROKER_TO_GET_CONSUMER_STATUS (only the
 * second, by client id).
 */
export const getConsumerStatusBody = jsonBody(
  object({
    messageQueueTable: objectMap(messageQueueSchema, long()),
    consumerTable: textMap(objectMap(messageQueueSchema, long())),
  }),
)
export type GetConsumerStatusBody = BodyOf<typeof getConsumerStatusBody>

/** Answer to QUERY_CORRECTION_OFFSET: queue id to offset. */
export const queryCorrectionOffsetBody = jsonBody(object({ correctionOffsets: intMap(long()) }))
export type QueryCorrectionOffsetBody = BodyOf<typeof queryCorrectionOffsetBody>

/** Body of the messages in OFFSET_MOVED_EVENT. */
export const offsetMovedEvent = jsonBody(
  object({ consumerGroup: text(), messageQueue: messageQueueSchema, offsetRequest: long(), offsetNew: long() }),
)
export type OffsetMovedEvent = BodyOf<typeof offsetMovedEvent>
