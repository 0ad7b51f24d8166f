import { subscriptionDataSchema } from './common.ts'
import { consumeFromWhereSchema, consumeTypeSchema, messageModelSchema } from './heartbeat.ts'
import { type BodyOf, jsonBody } from './json-body.ts'
import { object, textMap } from './map-schemas.ts'
import { int, list, long, type SchemaOf, text } from './schema.ts'

const connectionSchema = object({ clientId: text(), clientAddr: text(), language: text('OTHER'), version: int() })
/** A client's connection as an operator sees it; `version` is the ordinal. */
export type ConnectionInfo = SchemaOf<typeof connectionSchema>

/** Answer to GET_CONSUMER_CONNECTION_LIST. */
export const consumerConnection = jsonBody(
  object({
    connectionSet: list(connectionSchema),
    subscriptionTable: textMap(subscriptionDataSchema),
    consumeType: consumeTypeSchema,
    messageModel: messageModelSchema,
    consumeFromWhere: consumeFromWhereSchema,
  }),
)
export type ConsumerConnection = BodyOf<typeof consumerConnection>

/** Answer to GET_PRODUCER_CONNECTION_LIST. */
export const producerConnection = jsonBody(object({ connectionSet: list(connectionSchema) }))
export type ProducerConnection = BodyOf<typeof producerConnection>

/** Answer to GET_ALL_PRODUCER_INFO: group to its producers. */
export const producerTableInfo = jsonBody(
  object({
    data: textMap(
      list(
        object({
          clientId: text(),
          remoteIP: text(),
          language: text('OTHER'),
          version: int(),
          lastUpdateTimestamp: long(),
        }),
      ),
    ),
  }),
)
export type ProducerTableInfo = BodyOf<typeof producerTableInfo>
