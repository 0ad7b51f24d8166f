import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeBatch, decodeStoredMessages, encodeBatch, encodeStoredMessage } from '@rocketmq-ts/model'
import * as protocol from '@rocketmq-ts/protocol'
import { type BodyCodec, decodeFrame, RequestCode } from '@rocketmq-ts/protocol'
import { goldenVectors, type RecordedCall } from '../golden.ts'

const messages: BodyCodec<unknown> = {
  decode: bytes => decodeStoredMessages(bytes),
  encode: value => Buffer.concat((value as ReturnType<typeof decodeStoredMessages>).map(encodeStoredMessage)),
}
const batch: BodyCodec<unknown> = {
  decode: bytes => decodeBatch(bytes),
  encode: value => encodeBatch(value as ReturnType<typeof decodeBatch>),
}
/** All recorded routes were asked for in the strict form. */
const strictRoute: BodyCodec<unknown> = {
  decode: bytes => protocol.topicRouteData.decode(bytes),
  encode: value => protocol.encodeStrictTopicRoute(value as protocol.TopicRouteData),
}
/** Text of properties, a name, or a message's body: nothing to decode here. */
const opaque: BodyCodec<unknown> = { decode: bytes => bytes, encode: value => value as Buffer }

const requests: Readonly<Record<number, BodyCodec<unknown>>> = {
  [RequestCode.SEND_MESSAGE]: opaque,
  [RequestCode.SEND_MESSAGE_V2]: opaque,
  [RequestCode.SEND_REPLY_MESSAGE_V2]: opaque,
  [RequestCode.PUSH_REPLY_MESSAGE_TO_CLIENT]: opaque,
  [RequestCode.SEND_BATCH_MESSAGE]: batch,
  [RequestCode.CHECK_TRANSACTION_STATE]: messages,
  [RequestCode.CONSUME_MESSAGE_DIRECTLY]: messages,
  [RequestCode.HEART_BEAT]: protocol.heartbeatData,
  [RequestCode.CHECK_CLIENT_CONFIG]: protocol.checkClientRequest,
  [RequestCode.LOCK_BATCH_MQ]: protocol.lockBatchRequestBody,
  [RequestCode.UNLOCK_BATCH_MQ]: protocol.lockBatchRequestBody,
  [RequestCode.QUERY_ASSIGNMENT]: protocol.queryAssignmentRequestBody,
  [RequestCode.SET_MESSAGE_REQUEST_MODE]: protocol.setMessageRequestModeRequestBody,
  [RequestCode.BATCH_ACK_MESSAGE]: protocol.batchAckMessageRequestBody,
  [RequestCode.RESET_CONSUMER_CLIENT_OFFSET]: protocol.resetOffsetBody,
  [RequestCode.REGISTER_BROKER]: protocol.registerBrokerBody,
  [RequestCode.REGISTER_TOPIC_IN_NAMESRV]: protocol.topicRouteData,
  [RequestCode.QUERY_DATA_VERSION]: protocol.dataVersionBody,
  [RequestCode.UPDATE_AND_CREATE_STATIC_TOPIC]: protocol.topicQueueMappingDetail,
  [RequestCode.UPDATE_AND_CREATE_TOPIC_LIST]: protocol.createTopicListBody,
  [RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP]: protocol.subscriptionGroupConfigBody,
  [RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP_LIST]: protocol.subscriptionGroupList,
  [RequestCode.UPDATE_BROKER_CONFIG]: opaque,
  [RequestCode.UPDATE_NAMESRV_CONFIG]: opaque,
  [RequestCode.UPDATE_CONTROLLER_CONFIG]: opaque,
  [RequestCode.UPDATE_COLD_DATA_FLOW_CTR_CONFIG]: opaque,
  [RequestCode.REMOVE_COLD_DATA_FLOW_CTR_CONFIG]: opaque,
  [RequestCode.CONTROLLER_ALTER_SYNC_STATE_SET]: protocol.syncStateSet,
  [RequestCode.CONTROLLER_GET_SYNC_STATE_DATA]: protocol.nameList,
  [RequestCode.NOTIFY_BROKER_ROLE_CHANGED]: protocol.syncStateSet,
  [RequestCode.AUTH_CREATE_USER]: protocol.userInfo,
  [RequestCode.AUTH_UPDATE_USER]: protocol.userInfo,
  [RequestCode.AUTH_CREATE_ACL]: protocol.aclInfo,
}

const answers: Readonly<Record<number, BodyCodec<unknown>>> = {
  [RequestCode.PULL_MESSAGE]: messages,
  [RequestCode.LITE_PULL_MESSAGE]: messages,
  [RequestCode.POP_MESSAGE]: messages,
  [RequestCode.PEEK_MESSAGE]: messages,
  [RequestCode.QUERY_MESSAGE]: messages,
  [RequestCode.VIEW_MESSAGE_BY_ID]: messages,
  [RequestCode.LOCK_BATCH_MQ]: protocol.lockBatchResponseBody,
  [RequestCode.QUERY_ASSIGNMENT]: protocol.queryAssignmentResponseBody,
  [RequestCode.GET_ALL_MESSAGE_REQUEST_MODE]: protocol.messageRequestModeWrapper,
  [RequestCode.GET_CONSUMER_LIST_BY_GROUP]: protocol.consumerList,
  [RequestCode.GET_ALL_CONSUMER_OFFSET]: protocol.consumerOffsetWrapper,
  [RequestCode.GET_ALL_DELAY_OFFSET]: protocol.delayOffsetWrapper,
  [RequestCode.GET_ALL_PRODUCER_INFO]: protocol.producerTableInfo,
  [RequestCode.GET_ALL_SUBSCRIPTIONGROUP_CONFIG]: protocol.subscriptionGroupWrapper,
  [RequestCode.GET_SUBSCRIPTIONGROUP_CONFIG]: protocol.subscriptionGroupConfigBody,
  [RequestCode.GET_ALL_TOPIC_CONFIG]: protocol.topicConfigAndMappingSerializeWrapper,
  [RequestCode.GET_TOPIC_CONFIG]: protocol.topicConfigAndQueueMapping,
  [RequestCode.GET_TOPIC_STATS_INFO]: protocol.topicStatsTable,
  [RequestCode.GET_CONSUME_STATS]: protocol.consumeStats,
  [RequestCode.GET_BROKER_CONSUME_STATS]: protocol.consumeStatsList,
  [RequestCode.GET_BROKER_HA_STATUS]: protocol.haRuntimeInfo,
  [RequestCode.GET_COLD_DATA_FLOW_CTR_INFO]: protocol.coldDataFlowCtrInfo,
  [RequestCode.GET_CONSUMER_CONNECTION_LIST]: protocol.consumerConnection,
  [RequestCode.GET_PRODUCER_CONNECTION_LIST]: protocol.producerConnection,
  [RequestCode.GET_CONSUMER_RUNNING_INFO]: protocol.consumerRunningInfo,
  [RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_BROKER]: protocol.topicList,
  [RequestCode.GET_TIMER_CHECK_POINT]: protocol.timerCheckpoint,
  [RequestCode.GET_TIMER_METRICS]: protocol.timerMetrics,
  [RequestCode.INVOKE_BROKER_TO_GET_CONSUMER_STATUS]: protocol.getConsumerStatusBody,
  [RequestCode.GET_CONSUMER_STATUS_FROM_CLIENT]: protocol.getConsumerStatusBody,
  [RequestCode.INVOKE_BROKER_TO_RESET_OFFSET]: protocol.resetOffsetBody,
  [RequestCode.CONSUME_MESSAGE_DIRECTLY]: protocol.consumeMessageDirectlyResult,
  [RequestCode.QUERY_CONSUME_QUEUE]: protocol.queryConsumeQueueResponseBody,
  [RequestCode.QUERY_CONSUME_TIME_SPAN]: protocol.queryConsumeTimeSpanBody,
  [RequestCode.QUERY_CORRECTION_OFFSET]: protocol.queryCorrectionOffsetBody,
  [RequestCode.QUERY_SUBSCRIPTION_BY_CONSUMER]: protocol.querySubscriptionResponse,
  [RequestCode.QUERY_TOPIC_CONSUME_BY_WHO]: protocol.groupList,
  [RequestCode.QUERY_TOPICS_BY_CONSUMER]: protocol.topicList,
  [RequestCode.UPDATE_AND_GET_GROUP_FORBIDDEN]: protocol.groupForbidden,
  [RequestCode.VIEW_BROKER_STATS_DATA]: protocol.brokerStatsData,
  [RequestCode.CHECK_ROCKSDB_CQ_WRITE_PROGRESS]: protocol.checkRocksdbCqWriteResult,
  [RequestCode.GET_ROUTEINFO_BY_TOPIC]: strictRoute,
  [RequestCode.GET_BROKER_CLUSTER_INFO]: protocol.clusterInfo,
  [RequestCode.GET_BROKER_MEMBER_GROUP]: protocol.getBrokerMemberGroupResponse,
  [RequestCode.GET_ALL_TOPIC_LIST_FROM_NAMESERVER]: protocol.topicList,
  [RequestCode.GET_TOPICS_BY_CLUSTER]: protocol.topicList,
  [RequestCode.GET_SYSTEM_TOPIC_LIST_FROM_NS]: protocol.topicList,
  [RequestCode.GET_UNIT_TOPIC_LIST]: protocol.topicList,
  [RequestCode.GET_HAS_UNIT_SUB_TOPIC_LIST]: protocol.topicList,
  [RequestCode.GET_HAS_UNIT_SUB_UNUNIT_TOPIC_LIST]: protocol.topicList,
  [RequestCode.GET_KVLIST_BY_NAMESPACE]: protocol.kvTable,
  [RequestCode.QUERY_DATA_VERSION]: protocol.dataVersionBody,
  [RequestCode.REGISTER_BROKER]: protocol.kvTable,
  [RequestCode.AUTH_GET_USER]: protocol.userInfo,
  [RequestCode.AUTH_LIST_USER]: protocol.userInfoList,
  [RequestCode.AUTH_GET_ACL]: protocol.aclInfo,
  [RequestCode.AUTH_LIST_ACL]: protocol.aclInfoList,
  [RequestCode.CONTROLLER_ALTER_SYNC_STATE_SET]: protocol.syncStateSet,
  [RequestCode.CONTROLLER_ELECT_MASTER]: protocol.electMasterResponseBody,
  [RequestCode.CONTROLLER_REGISTER_BROKER]: protocol.syncStateSet,
  [RequestCode.CONTROLLER_GET_REPLICA_INFO]: protocol.syncStateSet,
  [RequestCode.CONTROLLER_GET_SYNC_STATE_DATA]: protocol.brokerReplicasInfo,
}

function bodyOf(hex: string | undefined): Buffer | undefined {
  if (hex === undefined) return undefined
  const bytes = Buffer.from(hex, 'hex')
  return decodeFrame(bytes, 4, bytes.length).body
}

/** Asserts that decoding and encoding gives the same bytes, or at least equal values where Java didn't write the body. */
function assertRoundTrip(
  codec: BodyCodec<unknown> | undefined,
  body: Buffer | undefined,
  what: string,
  isExact: boolean,
): void {
  if (body === undefined) return
  assert.ok(codec !== undefined, `${what} has a body, of which no shape is known here`)
  const value = codec.decode(body)
  const encoded = codec.encode(value)
  if (isExact) assert.equal(encoded.toString('latin1'), body.toString('latin1'))
  else assert.deepEqual(codec.decode(encoded), value)
}

/** Written by Java with another writer. */
const otherSpelling = new Set<number>([RequestCode.GET_COLD_DATA_FLOW_CTR_INFO])

describe('bodies recorded from running Java peers', () => {
  let count = 0
  for (const call of goldenVectors<RecordedCall>('recorded.json')) {
    const request = bodyOf(call.hex)
    const answer = bodyOf(call.responseHex)
    if (request === undefined && answer === undefined) continue
    count++
    test(`${call.name}: bodies decode and encode to the same bytes`, () => {
      const { code } = call.decoded
      assertRoundTrip(requests[code], request, `request ${code}`, call.sender !== 'hand-made request')
      assertRoundTrip(answers[code], answer, `answer to ${code}`, !otherSpelling.has(code))
    })
  }

  test('there are many of them', () => {
    assert.ok(count > 60, String(count))
  })
})
