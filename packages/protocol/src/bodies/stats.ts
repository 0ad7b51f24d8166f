import { messageQueueSchema } from './common.ts'
import { type BodyOf, jsonBody } from './json-body.ts'
import { double, object, objectMap, textMap } from './map-schemas.ts'
import { list, long, optional, type SchemaOf, text } from './schema.ts'

const topicOffsetSchema = object({ minOffset: long(), maxOffset: long(), lastUpdateTimestamp: long() })
/** Bounds of a queue. */
export type TopicOffset = SchemaOf<typeof topicOffsetSchema>

/** Answer to GET_TOPIC_STATS_INFO. */
export const topicStatsTable = jsonBody(
  object({ offsetTable: objectMap(messageQueueSchema, topicOffsetSchema), topicPutTps: double() }),
)
export type TopicStatsTable = BodyOf<typeof topicStatsTable>

const offsetWrapperSchema = object({
  brokerOffset: long(),
  consumerOffset: long(),
  pullOffset: long(),
  lastTimestamp: long(),
})
/** How far a group is in a queue. */
export type OffsetWrapper = SchemaOf<typeof offsetWrapperSchema>

const consumeStatsSchema = object({
  offsetTable: objectMap(messageQueueSchema, offsetWrapperSchema),
  consumeTps: double(),
})

/** Answer to GET_CONSUME_STATS. */
export const consumeStats = jsonBody(consumeStatsSchema)
export type ConsumeStats = BodyOf<typeof consumeStats>

/** Answer to GET_BROKER_CONSUME_STATS. */
export const consumeStatsList = jsonBody(
  object({
    brokerAddr: text(),
    /** One map per group, with that group as its only name. */
    consumeStatsList: list(textMap(list(consumeStatsSchema))),
    totalDiff: long(),
    totalInflightDiff: long(),
  }),
)
export type ConsumeStatsList = BodyOf<typeof consumeStatsList>

const brokerStatsItemSchema = object({ sum: long(), tps: double(), avgpt: double() })

/** Answer to VIEW_BROKER_STATS_DATA. */
export const brokerStatsData = jsonBody(
  object({ statsMinute: brokerStatsItemSchema, statsHour: brokerStatsItemSchema, statsDay: brokerStatsItemSchema }),
)
export type BrokerStatsData = BodyOf<typeof brokerStatsData>

/** Answer to QUERY_CONSUME_TIME_SPAN. Times in ms since 1970; the texts are for people, in the broker's time zone. */
export const queryConsumeTimeSpanBody = jsonBody(
  object({
    consumeTimeSpanSet: list(
      object({
        messageQueue: messageQueueSchema,
        minTimeStamp: long(),
        maxTimeStamp: long(),
        consumeTimeStamp: long(),
        delayTime: long(),
        minTimeStampStr: optional(text()),
        maxTimeStampStr: optional(text()),
        consumeTimeStampStr: optional(text()),
      }),
    ),
  }),
)
export type QueryConsumeTimeSpanBody = BodyOf<typeof queryConsumeTimeSpanBody>
