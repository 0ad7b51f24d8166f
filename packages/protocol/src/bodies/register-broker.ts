import { type BodyOf, jsonBody } from './json-body.ts'
import { object } from './map-schemas.ts'
import { list, text } from './schema.ts'
import { topicConfigAndMappingSchema } from './topic-config.ts'

/** What a broker tells a name server of itself: the plain body of REGISTER_BROKER. */
export const registerBrokerBody = jsonBody(
  object({
    topicConfigSerializeWrapper: topicConfigAndMappingSchema,
    filterServerList: list(text()),
  }),
)
export type RegisterBrokerBody = BodyOf<typeof registerBrokerBody>
