import { stringifyStrictRoute } from '../lenient-json.ts'
import { type BodyOf, jsonBody } from './json-body.ts'
import { intMap, object, textMap } from './map-schemas.ts'
import { bool, int, list, optional, type SchemaOf, text } from './schema.ts'
import { topicQueueMappingInfoSchema } from './static-topic.ts'

const queueDataSchema = object({
  brokerName: text(),
  readQueueNums: int(),
  writeQueueNums: int(),
  perm: int(),
  topicSysFlag: int(),
})
/** Queues of a topic on one broker set. */
export type QueueData = SchemaOf<typeof queueDataSchema>

const brokerDataSchema = object({
  cluster: text(),
  brokerName: text(),
  /** Broker id to `ip:port`; id 0 is the master. */
  brokerAddrs: intMap(text()),
  zoneName: optional(text()),
  enableActingMaster: bool(),
})
/** A broker set: a master and its slaves. */
export type BrokerData = SchemaOf<typeof brokerDataSchema>

const topicRouteDataSchema = object({
  /** `broker:queues;…` for topics with a fixed order. */
  orderTopicConf: optional(text()),
  queueDatas: list(queueDataSchema),
  brokerDatas: list(brokerDataSchema),
  filterServerTable: textMap(list(text())),
  /** Only for static topics. */
  topicQueueMappingByBroker: optional(textMap(topicQueueMappingInfoSchema)),
})

/** Where a topic lives: the answer to GET_ROUTEINFO_BY_TOPIC, in the form that old clients read. */
export const topicRouteData = jsonBody(topicRouteDataSchema)
export type TopicRouteData = BodyOf<typeof topicRouteData>

/** The same in strict JSON, for requests of version 401 and up or with `acceptStandardJsonOnly`. */
export function encodeStrictTopicRoute(route: TopicRouteData): Buffer {
  return Buffer.from(stringifyStrictRoute(topicRouteDataSchema.write(route)), 'utf8')
}

/** All broker sets and which cluster they belong to. */
export const clusterInfo = jsonBody(
  object({
    brokerAddrTable: textMap(brokerDataSchema),
    clusterAddrTable: textMap(list(text())),
  }),
)
export type ClusterInfo = BodyOf<typeof clusterInfo>

export const brokerMemberGroupSchema = object({
  cluster: text(),
  brokerName: text(),
  brokerAddrs: intMap(text()),
})
/** Members of a broker set that are alive. */
export type BrokerMemberGroup = SchemaOf<typeof brokerMemberGroupSchema>

/** Answer to GET_BROKER_MEMBER_GROUP. */
export const getBrokerMemberGroupResponse = jsonBody(object({ brokerMemberGroup: brokerMemberGroupSchema }))
