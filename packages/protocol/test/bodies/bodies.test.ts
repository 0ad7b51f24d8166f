import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  aclInfo,
  aclInfoList,
  type BodyCodec,
  batchAckMessageRequestBody,
  brokerReplicasInfo,
  brokerStatsData,
  checkClientRequest,
  checkRocksdbCqWriteResult,
  clusterInfo,
  coldDataFlowCtrInfo,
  consumeMessageDirectlyResult,
  consumerConnection,
  consumerList,
  consumerOffsetWrapper,
  consumerRunningInfo,
  consumeStats,
  consumeStatsList,
  createTopicListBody,
  dataVersionBody,
  delayOffsetWrapper,
  electMasterResponseBody,
  epochEntryCache,
  getBrokerMemberGroupResponse,
  getConsumerStatusBody,
  groupForbidden,
  groupList,
  haRuntimeInfo,
  heartbeatData,
  JsonMap,
  kvTable,
  lockBatchRequestBody,
  lockBatchResponseBody,
  messageRequestModeWrapper,
  offsetMovedEvent,
  parseLenient,
  popAckMsg,
  popBatchAckMsg,
  popCheckPoint,
  producerConnection,
  producerTableInfo,
  queryAssignmentRequestBody,
  queryAssignmentResponseBody,
  queryConsumeQueueResponseBody,
  queryConsumeTimeSpanBody,
  queryCorrectionOffsetBody,
  querySubscriptionResponse,
  registerBrokerBody,
  resetOffsetBody,
  resetOffsetBodyForC,
  setMessageRequestModeRequestBody,
  subscriptionGroupConfigBody,
  subscriptionGroupList,
  subscriptionGroupWrapper,
  syncStateSet,
  timerMetrics,
  topicConfigAndMappingSerializeWrapper,
  topicConfigAndQueueMapping,
  topicConfigSerializeWrapper,
  topicList,
  topicQueueMappingDetail,
  topicRouteData,
  topicStatsTable,
  userInfo,
  userInfoList,
} from '@rocketmq-ts/protocol'
import { RocketMqError, seededRandom } from '@rocketmq-ts/runtime'
import { goldenVectors } from '../golden.ts'

interface BodyVector {
  readonly name: string
  readonly hex: string
  readonly text?: string
}

const codecs: Readonly<Record<string, BodyCodec<unknown>>> = {
  heartbeat_v1: heartbeatData,
  heartbeat_v2_with_sub: heartbeatData,
  heartbeat_v2_without_sub: heartbeatData,
  topic_route_legacy: topicRouteData,
  topic_route_standard: topicRouteData,
  topic_route_legacy_mapping: topicRouteData,
  topic_route_standard_mapping: topicRouteData,
  cluster_info: clusterInfo,
  data_version: dataVersionBody,
  register_broker_plain: registerBrokerBody,
  topic_config_wrapper: topicConfigSerializeWrapper,
  fastjson_ref: topicConfigSerializeWrapper,
  all_topic_config: topicConfigAndMappingSerializeWrapper,
  static_topic_mapping_detail: topicQueueMappingDetail,
  topic_config_and_queue_mapping: topicConfigAndQueueMapping,
  topic_config_no_mapping: topicConfigAndQueueMapping,
  topic_stats_table: topicStatsTable,
  consume_stats: consumeStats,
  consume_stats_list: consumeStatsList,
  consume_stats_empty: consumeStats,
  consumer_offset_wrapper: consumerOffsetWrapper,
  consumer_offset_manager: consumerOffsetWrapper,
  reset_offset_body: resetOffsetBody,
  reset_offset_body_for_c: resetOffsetBodyForC,
  consumer_status_from_client: getConsumerStatusBody,
  consumer_status: getConsumerStatusBody,
  consumer_running_info: consumerRunningInfo,
  consumer_running_info_empty: consumerRunningInfo,
  consumer_connection: consumerConnection,
  producer_connection: producerConnection,
  producer_table_info: producerTableInfo,
  lock_batch_request: lockBatchRequestBody,
  lock_batch_response: lockBatchResponseBody,
  unlock_batch_request: lockBatchRequestBody,
  query_assignment_request: queryAssignmentRequestBody,
  query_assignment_response: queryAssignmentResponseBody,
  query_assignment_response_null: queryAssignmentResponseBody,
  set_message_request_mode: setMessageRequestModeRequestBody,
  all_message_request_mode: messageRequestModeWrapper,
  consumer_list: consumerList,
  topic_list: topicList,
  topic_list_with_broker: topicList,
  group_list: groupList,
  kv_table: kvTable,
  consume_directly_result: consumeMessageDirectlyResult,
  consume_time_span: queryConsumeTimeSpanBody,
  correction_offset: queryCorrectionOffsetBody,
  query_subscription: querySubscriptionResponse,
  broker_stats_data: brokerStatsData,
  query_consume_queue: queryConsumeQueueResponseBody,
  batch_ack: batchAckMessageRequestBody,
  batch_ack_empty_bitset: batchAckMessageRequestBody,
  broker_member_group: getBrokerMemberGroupResponse,
  elect_master_body: electMasterResponseBody,
  sync_state_set: syncStateSet,
  broker_replicas_info: brokerReplicasInfo,
  epoch_cache: epochEntryCache,
  ha_runtime_info: haRuntimeInfo,
  subscription_group_config_default: subscriptionGroupConfigBody,
  subscription_group_config_full: subscriptionGroupConfigBody,
  subscription_group_wrapper: subscriptionGroupWrapper,
  subscription_group_manager: subscriptionGroupWrapper,
  subscription_group_list: subscriptionGroupList,
  create_topic_list: createTopicListBody,
  user_info: userInfo,
  user_list: userInfoList,
  acl_info: aclInfo,
  acl_list: aclInfoList,
  group_forbidden: groupForbidden,
  check_client: checkClientRequest,
  delay_offset: delayOffsetWrapper,
  timer_metrics: timerMetrics,
  offset_moved_event: offsetMovedEvent,
  pop_check_point: popCheckPoint,
  pop_ack_msg: popAckMsg,
  pop_batch_ack_msg: popBatchAckMsg,
  check_rocksdb_cq: checkRocksdbCqWriteResult,
  cold_data_flow_ctr_info: coldDataFlowCtrInfo,
}

/** Tested by themselves: not JSON. */
const binary = new Set(['register_broker_compressed', 'timer_checkpoint'])

/** Java wrote another text of the same meaning: strict form, references, or fastjson2's order of names. */
const otherText = new Set([
  'topic_route_standard',
  'topic_route_standard_mapping',
  'fastjson_ref',
  'cold_data_flow_ctr_info',
])

/** One value of these lies beyond 2^53 and is not Long.MAX_VALUE: it reads as the nearest number. */
const rounded = new Set(['topic_route_legacy_mapping', 'topic_route_standard_mapping', 'consumer_offset_wrapper'])

/** A view in which the order of names and the spelling of numbers don't matter. */
function comparable(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'string' && /^\d{16,19}$/.test(value)) return Number(value)
  if (Array.isArray(value)) return value.map(comparable)
  if (value instanceof JsonMap) return value.$pairs.map(pair => pair.map(comparable))
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, item]) => [key, comparable(item)] as const)
    return Object.fromEntries(entries.sort((a, b) => (a[0] < b[0] ? -1 : 1)))
  }
  return value
}

describe('golden bodies', () => {
  const vectors = goldenVectors<BodyVector>('bodies.json').filter(({ name }) => !binary.has(name))

  test('every golden body has its codec here', () => {
    assert.deepEqual(
      vectors.map(({ name }) => name).filter(name => codecs[name] === undefined),
      [],
    )
  })

  for (const vector of vectors) {
    const codec = codecs[vector.name]!
    const bytes = Buffer.from(vector.hex, 'hex')
    const isExact = !otherText.has(vector.name) && !rounded.has(vector.name)
    test(`${vector.name} decodes and encodes ${isExact ? 'to the same bytes' : 'to the same meaning'}`, () => {
      const encoded = codec.encode(codec.decode(bytes))
      if (isExact) assert.equal(encoded.toString('utf8'), bytes.toString('utf8'))
      else assert.deepEqual(comparable(parseLenient(encoded)), comparable(parseLenient(bytes)))
    })
  }

  test('a mutilated body gives a value or BODY_INVALID', () => {
    const random = seededRandom(5112024)
    for (let round = 0; round < 6000; round++) {
      const vector = vectors[random.int(vectors.length)]!
      const bytes = Buffer.from(vector.hex, 'hex')
      for (let edits = random.int(5); edits > 0; edits--) {
        bytes[random.int(bytes.length)] = random.int(3) === 0 ? random.int(256) : '{}[],:"0-'.charCodeAt(random.int(9))
      }
      const cut = random.int(5) === 0 ? bytes.subarray(0, random.int(bytes.length)) : bytes
      // A body under another body's codec, too.
      const names = Object.keys(codecs)
      const codec = random.int(4) === 0 ? codecs[names[random.int(names.length)]!]! : codecs[vector.name]!
      try {
        codec.encode(codec.decode(cut))
      } catch (error) {
        assert.ok(RocketMqError.is(error) && error.code === 'BODY_INVALID', `round ${round}: ${String(error)}`)
      }
    }
  })
})
