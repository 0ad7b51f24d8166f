import { javaHashCode } from '@rocketmq-ts/model'
import { subscriptionDataSchema } from './common.ts'
import { type BodyOf, jsonBody } from './json-body.ts'
import { object } from './map-schemas.ts'
import { bool, enumeration, int, list, optional, type SchemaOf, text } from './schema.ts'

export const consumeTypes = ['CONSUME_ACTIVELY', 'CONSUME_PASSIVELY', 'CONSUME_POP'] as const
export type ConsumeType = (typeof consumeTypes)[number]

export const messageModels = ['BROADCASTING', 'CLUSTERING'] as const
export type MessageModel = (typeof messageModels)[number]

/** Where a group without stored offset begins; the last three are old names that still occur. */
export const consumeFromWheres = [
  'CONSUME_FROM_LAST_OFFSET',
  'CONSUME_FROM_FIRST_OFFSET',
  'CONSUME_FROM_TIMESTAMP',
  'CONSUME_FROM_LAST_OFFSET_AND_FROM_MIN_WHEN_BOOT_FIRST',
  'CONSUME_FROM_MIN_OFFSET',
  'CONSUME_FROM_MAX_OFFSET',
] as const
export type ConsumeFromWhere = (typeof consumeFromWheres)[number]

export const consumeTypeSchema = enumeration(consumeTypes, 'CONSUME_PASSIVELY')
export const messageModelSchema = enumeration(messageModels, 'CLUSTERING')
export const consumeFromWhereSchema = enumeration(consumeFromWheres, 'CONSUME_FROM_LAST_OFFSET')

const consumerDataSchema = object({
  groupName: text(),
  consumeType: consumeTypeSchema,
  messageModel: messageModelSchema,
  consumeFromWhere: consumeFromWhereSchema,
  subscriptionDataSet: list(subscriptionDataSchema),
  unitMode: bool(),
})
/** One consumer group of a client. */
export type ConsumerData = SchemaOf<typeof consumerDataSchema>

/**
 * Body of HEART_BEAT: the groups of a client. A fingerprint other than 0 tells version 2, whose short form
 * (`withoutSub`) leaves out the subscriptions.
 */
export const heartbeatData = jsonBody(
  object({
    clientID: text(),
    producerDataSet: list(object({ groupName: text() })),
    consumerDataSet: list(consumerDataSchema),
    heartbeatFingerprint: int(),
    withoutSub: bool(),
  }),
)
export type HeartbeatData = BodyOf<typeof heartbeatData>

/**
 * A number that changes when groups or subscriptions change, and not with the client or a subscription's version. The order
 * of sets counts, so give them in a stable one. Source: HeartbeatData#computeHeartbeatFingerprint, 5.3.x.
 */
export function heartbeatFingerprint(data: HeartbeatData): number {
  const neutral: HeartbeatData = {
    ...data,
    clientID: '',
    heartbeatFingerprint: 0,
    withoutSub: false,
    consumerDataSet: data.consumerDataSet.map(consumer => ({
      ...consumer,
      subscriptionDataSet: consumer.subscriptionDataSet.map(subscription => ({ ...subscription, subVersion: 0 })),
    })),
  }
  return javaHashCode(heartbeatData.stringify(neutral))
}

/** Body of CHECK_CLIENT_CONFIG: a subscription whose expression the broker shall check. */
export const checkClientRequest = jsonBody(
  object({
    clientId: text(),
    group: text(),
    namespace: optional(text()),
    subscriptionData: subscriptionDataSchema,
  }),
)
export type CheckClientRequest = BodyOf<typeof checkClientRequest>
