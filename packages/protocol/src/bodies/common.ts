import type { DataVersion, MessageQueue, SubscriptionData } from '@rocketmq-ts/model'
import { type BodyOf, jsonBody } from './json-body.ts'
import { object, textMap } from './map-schemas.ts'
import { bool, enumeration, int, list, long, optional, type Schema, text } from './schema.ts'

/** Shape of a queue, alone and as a name in maps. */
export const messageQueueSchema: Schema<MessageQueue> = object({ topic: text(), brokerName: text(), queueId: int() })

/** Shape of a table's version. */
export const dataVersionSchema: Schema<DataVersion> = object({
  stateVersion: long(),
  timestamp: long(),
  counter: long(),
})

/** Shape of a subscription. */
export const subscriptionDataSchema: Schema<SubscriptionData> = object({
  topic: text(),
  subString: text(),
  expressionType: enumeration(['TAG', 'SQL92'], 'TAG'),
  classFilterMode: bool(),
  subVersion: long(),
  tagsSet: list(text()),
  codeSet: list(int()),
})

/** Body of QUERY_DATA_VERSION, both ways. */
export const dataVersionBody = jsonBody(dataVersionSchema)

/** Names and values: runtime information, name server configuration of a namespace. */
export const kvTable = jsonBody(object({ table: textMap(text()) }))
export type KVTable = BodyOf<typeof kvTable>

/** The name server's file kvConfig.json: values by namespace and key. */
export const kvConfigTable = jsonBody(object({ configTable: textMap(textMap(text())) }))
export type KvConfigTable = BodyOf<typeof kvConfigTable>

/** Topics, and the broker asked where the request is about one. */
export const topicList = jsonBody(object({ topicList: list(text()), brokerAddr: optional(text()) }))
export type TopicList = BodyOf<typeof topicList>

/** Groups that consume a topic. */
export const groupList = jsonBody(object({ groupList: list(text()) }))
export type GroupList = BodyOf<typeof groupList>

/** Client ids of a group's members. */
export const consumerList = jsonBody(object({ consumerIdList: list(text()) }))
export type ConsumerList = BodyOf<typeof consumerList>

/** Names as a bare array: the brokers of CONTROLLER_GET_SYNC_STATE_DATA. */
export const nameList = jsonBody(list(text()))
