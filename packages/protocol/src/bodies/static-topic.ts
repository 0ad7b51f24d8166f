import { type BodyOf, jsonBody } from './json-body.ts'
import { intMap, object } from './map-schemas.ts'
import { bool, int, list, long, optional, type SchemaOf, text } from './schema.ts'
import { topicConfigShape } from './topic-config-shape.ts'

const mappingInfoShape = {
  topic: text(),
  scope: text(),
  totalQueues: int(),
  /** Broker that wrote this. */
  bname: text(),
  /** Grows with every change of the topic. */
  epoch: long(),
  dirty: bool(),
  /** Global queue id to the id on this broker. */
  currIdMap: intMap(int()),
}

/** Which global queues of a static topic a broker holds now. */
export const topicQueueMappingInfoSchema = object(mappingInfoShape)
export type TopicQueueMappingInfo = SchemaOf<typeof topicQueueMappingInfoSchema>

const logicQueueMappingItemSchema = object({
  gen: int(),
  queueId: int(),
  bname: text(),
  logicOffset: long(),
  startOffset: long(),
  /** -1 while open. */
  endOffset: long(-1),
  timeOfStart: long(-1),
  /** -1 while open. */
  timeOfEnd: long(-1),
})
/** A stretch of a global queue on one broker. */
export type LogicQueueMappingItem = SchemaOf<typeof logicQueueMappingItemSchema>

/** The same with the history of each queue. */
export const topicQueueMappingDetailSchema = object({
  ...mappingInfoShape,
  hostedQueues: intMap(list(logicQueueMappingItemSchema)),
})

/** Body of UPDATE_AND_CREATE_STATIC_TOPIC. */
export const topicQueueMappingDetail = jsonBody(topicQueueMappingDetailSchema)
export type TopicQueueMappingDetail = BodyOf<typeof topicQueueMappingDetail>

/** Answer to GET_TOPIC_CONFIG: a topic, with its mapping where the request asks for static topics. */
export const topicConfigAndQueueMapping = jsonBody(
  object({ ...topicConfigShape, mappingDetail: optional(topicQueueMappingDetailSchema) }),
)
export type TopicConfigAndQueueMapping = BodyOf<typeof topicConfigAndQueueMapping>
