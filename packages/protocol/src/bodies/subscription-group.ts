import type { SubscriptionGroupConfig } from '@rocketmq-ts/model'
import { dataVersionSchema, subscriptionDataSchema } from './common.ts'
import { type BodyOf, jsonBody } from './json-body.ts'
import { object, textMap, textRecord } from './map-schemas.ts'
import { bool, enumeration, int, list, long, oneLineList, optional, type Schema, text } from './schema.ts'

const groupRetryPolicySchema = object({
  type: enumeration(['EXPONENTIAL', 'CUSTOMIZED'], 'CUSTOMIZED'),
  exponentialRetryPolicy: optional(object({ initial: long(5000), max: long(7_200_000), multiplier: long(2) })),
  customizedRetryPolicy: optional(object({ next: oneLineList(long()) })),
})

/** Shape of a consumer group's configuration, with Java's defaults for what is missing. */
export const subscriptionGroupConfigSchema: Schema<SubscriptionGroupConfig> = object({
  groupName: text(),
  consumeEnable: bool(true),
  consumeFromMinEnable: bool(true),
  consumeBroadcastEnable: bool(true),
  consumeMessageOrderly: bool(),
  retryQueueNums: int(1),
  retryMaxTimes: int(16),
  groupRetryPolicy: groupRetryPolicySchema,
  brokerId: long(),
  whichBrokerWhenConsumeSlowly: long(1),
  notifyConsumerIdsChangedEnable: bool(true),
  groupSysFlag: int(),
  consumeTimeoutMinute: int(15),
  subscriptionDataSet: optional(
    oneLineList(object({ topic: text(), expressionType: text('TAG'), expression: text(), version: long() })),
  ),
  attributes: textRecord(),
})

/** A consumer group: body of UPDATE_AND_CREATE_SUBSCRIPTIONGROUP, answer to GET_SUBSCRIPTIONGROUP_CONFIG. */
export const subscriptionGroupConfigBody = jsonBody(subscriptionGroupConfigSchema)

/** All groups of a broker: subscriptionGroup.json, and the answer to GET_ALL_SUBSCRIPTIONGROUP_CONFIG. */
export const subscriptionGroupWrapper = jsonBody(
  object({
    dataVersion: dataVersionSchema,
    /** Group to topic to bits; 4 forbids reading. Old peers leave it out. */
    forbiddenTable: optional(textMap(textMap(int()))),
    subscriptionGroupTable: textMap(subscriptionGroupConfigSchema),
  }),
)
export type SubscriptionGroupWrapper = BodyOf<typeof subscriptionGroupWrapper>

/** Body of UPDATE_AND_CREATE_SUBSCRIPTIONGROUP_LIST. */
export const subscriptionGroupList = jsonBody(object({ groupConfigList: list(subscriptionGroupConfigSchema) }))
export type SubscriptionGroupList = BodyOf<typeof subscriptionGroupList>

/** Answer to UPDATE_AND_GET_GROUP_FORBIDDEN. */
export const groupForbidden = jsonBody(object({ group: text(), topic: text(), readable: optional(bool()) }))
export type GroupForbidden = BodyOf<typeof groupForbidden>

/** Answer to QUERY_SUBSCRIPTION_BY_CONSUMER. */
export const querySubscriptionResponse = jsonBody(
  object({ group: text(), topic: text(), subscriptionData: optional(subscriptionDataSchema) }),
)
export type QuerySubscriptionResponse = BodyOf<typeof querySubscriptionResponse>
