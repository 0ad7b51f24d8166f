import type { TopicConfig } from '@rocketmq-ts/model'
import { dataVersionSchema } from './common.ts'
import { type BodyOf, jsonBody } from './json-body.ts'
import { object, textMap } from './map-schemas.ts'
import { list, type Schema } from './schema.ts'
import { topicQueueMappingDetailSchema, topicQueueMappingInfoSchema } from './static-topic.ts'
import { topicConfigShape } from './topic-config-shape.ts'

/** Shape of a topic's configuration. */
export const topicConfigSchema: Schema<TopicConfig> = object(topicConfigShape)

/** A topic's configuration alone. */
export const topicConfigBody = jsonBody(topicConfigSchema)

/** The topics of a broker: its file topics.json, and the registration body of old brokers. */
export const topicConfigSerializeWrapper = jsonBody(
  object({
    dataVersion: dataVersionSchema,
    topicConfigTable: textMap(topicConfigSchema),
  }),
)
export type TopicConfigSerializeWrapper = BodyOf<typeof topicConfigSerializeWrapper>

export const topicConfigAndMappingSchema = object({
  dataVersion: dataVersionSchema,
  topicConfigTable: textMap(topicConfigSchema),
  topicQueueMappingInfoMap: textMap(topicQueueMappingInfoSchema),
  topicQueueMappingDetailMap: textMap(topicQueueMappingDetailSchema),
  mappingDataVersion: dataVersionSchema,
})

/** The topics of a broker with its part of static topics: the answer to GET_ALL_TOPIC_CONFIG. */
export const topicConfigAndMappingSerializeWrapper = jsonBody(topicConfigAndMappingSchema)
export type TopicConfigAndMappingSerializeWrapper = BodyOf<typeof topicConfigAndMappingSerializeWrapper>

/** Body of UPDATE_AND_CREATE_TOPIC_LIST. */
export const createTopicListBody = jsonBody(object({ topicConfigList: list(topicConfigSchema) }))
export type CreateTopicListBody = BodyOf<typeof createTopicListBody>
