import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildSubscription, topicConfig } from '@rocketmq-ts/model'
import { type RemotingCommand, requestCommand } from '@rocketmq-ts/protocol'
import { type Connection, Router } from '@rocketmq-ts/remoting'
import { silentLogger } from '@rocketmq-ts/runtime'
import { registerClientCalls } from '../../dist/admin/client-handlers.js'
import { registerConfig } from '../../dist/admin/config-handlers.js'
import { registerConnections } from '../../dist/admin/connection-handlers.js'
import { registerGroupMember } from '../../dist/admin/group-member-handlers.js'
import { registerHaStatus } from '../../dist/admin/ha-handlers.js'
import { registerMaintenance } from '../../dist/admin/maintenance-handlers.js'
import { registerOffsetAdmin } from '../../dist/admin/reset-offset-handlers.js'
import { registerSubscriptionQueries } from '../../dist/admin/subscription-handlers.js'
import { ConsumerGroups } from '../../dist/client/consumer-groups.js'
import { ProducerGroups } from '../../dist/client/producer-groups.js'
import { ConsumerOffsets } from '../../dist/offset/consumer-offsets.js'
import { BrokerConfiguration } from '../../dist/options/configuration.js'
import { createBrokerOptions } from '../../dist/options.js'
import { registerConsumeQueueQuery } from '../../dist/query/consume-queue-handler.js'
import { registerQuery } from '../../dist/query/query-handlers.js'
import { BrokerStats } from '../../dist/stats/broker-stats.js'
import { registerConsumeStats } from '../../dist/stats/consume-stats-handlers.js'
import { registerStats } from '../../dist/stats/stats-handlers.js'
import { registerGroups } from '../../dist/subscription/group-handlers.js'
import { SubscriptionGroupTable } from '../../dist/subscription/group-table.js'
import { registerRequestModes } from '../../dist/subscription/request-mode-handlers.js'
import { RequestModeTable } from '../../dist/subscription/request-mode-table.js'
import { registerTopics } from '../../dist/topic/topic-handlers.js'
import { TopicTable } from '../../dist/topic/topic-table.js'
import { AdminClock } from '../support/admin-clock.js'
import { answerOf, assertSameAnswer, recordedCalls } from '../support/recorded.js'

/** A store of two topics with four messages a queue. */
const store = {
  minOffset: () => 0,
  maxOffset: (topic: string) => (topic === 'RecTopic' || topic === 'PT' ? 4 : 0),
  storeTimeOf: () => 1_700_000_000_000,
  offsetByTime: () => 0,
  messageAt: (offset: number) => (offset === 0 ? Buffer.alloc(91, 1) : undefined),
  queryIndex: async (_topic: string, key: string) => ({
    records: key === 'zz' ? [] : [Buffer.alloc(91, 1)],
    lastUpdateTimestamp: 0,
    lastUpdatePhysicalOffset: 0,
  }),
  deleteTopic: () => {},
  cleanUnusedTopics: () => [],
  cleanExpiredConsumeQueues: () => 0,
  deleteExpired: async () => {},
}

/** A consumer's connection that answers the one question the broker asks it. */
function consumerConnection(remoteAddress: string): Connection {
  const status = '{"messageQueueTable":{{"brokerName":"broker-a","queueId":0,"topic":"RecTopic"}:4},"consumerTable":{}}'
  return {
    remoteAddress,
    call: async () => requestCommand(0, {}, Buffer.from(status)),
    sendOneway: () => {},
  } as unknown as Connection
}

/** A broker in the state in which the Java one was when the conversations were recorded, as far as it matters. */
function recordedBroker() {
  const clock = new AdminClock()
  const logger = silentLogger
  const options = createBrokerOptions({ brokerName: 'broker-a', useServerSideResetOffset: false })
  const topics = new TopicTable({ options, clock, logger })
  for (const name of ['RecTopic', 'PT', 'RecPop', 'RecNew']) {
    topics.update(topicConfig(name, { readQueueNums: 2, writeQueueNums: 2 }), new Map())
  }
  const groups = new SubscriptionGroupTable({ options, clock, logger })
  for (const name of ['GC', 'SG']) groups.find(name)
  const stats = new BrokerStats({ clock, options, isSystemTopic: topic => topics.isSystem(topic) })
  stats.addPut('RecTopic', 1, 100)
  const offsets = new ConsumerOffsets(clock, logger, options)
  for (const queueId of [0, 1]) offsets.commit('GC', 'RecTopic', queueId, 2)
  for (const queueId of [0, 1]) for (const group of ['CG', 'CG9']) offsets.commit(group, 'PT', queueId, queueId)
  const consumers = new ConsumerGroups(clock, logger, { onMembersChanged: () => {} })
  const profile = {
    consumeType: 'CONSUME_PASSIVELY',
    messageModel: 'CLUSTERING',
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
  }
  const join = (group: string, port: number, subscriptions: readonly [topic: string, expression: string][]) => {
    const client = { connection: consumerConnection(`127.0.0.1:${port}`), clientId: '192.0.2.2@c1', language: 'JAVA' }
    const data = subscriptions.map(([topic, expression]) => buildSubscription(topic, expression))
    consumers.register(group, { ...client, version: 479 }, profile as never, data, false)
  }
  join('GC', 1, [
    ['%RETRY%GC', '*'],
    ['RecTopic', 'TagA || TagB'],
  ])
  join('CG', 2, [['PT', '*']])
  const producers = new ProducerGroups(clock, logger)
  producers.register('PG', {
    connection: consumerConnection('127.0.0.1:3'),
    clientId: 'c1',
    language: 'JAVA',
    version: 479,
  })
  const modes = new RequestModeTable()
  modes.set({ topic: 'PT', consumerGroup: 'CG', mode: 'POP', popShareQueueNum: 0 })

  const router = new Router()
  const all = { options, topics, groups, stats, offsets, consumers, producers, modes, clock, logger, store }
  const brokerAddress = () => '127.0.0.1:20911'
  registerTopics(router, all)
  registerGroups(router, all)
  registerRequestModes(router, all)
  registerStats(router, { ...all, runtimeInfo: () => new Map() })
  registerConsumeStats(router, { ...all, brokerAddress })
  registerConnections(router, all)
  registerSubscriptionQueries(router, { ...all, brokerAddress })
  registerClientCalls(router, all)
  registerOffsetAdmin(router, all)
  registerMaintenance(router, all)
  registerConfig(router, { configuration: new BrokerConfiguration({ options, clock, logger }) })
  registerQuery(router, all)
  registerHaStatus(router, { commitLogMaxOffset: () => 4936 })
  registerGroupMember(router, {
    options,
    startOffset: 0,
    addresses: () => ({ broker: brokerAddress(), ha: '192.0.2.2:20912' }),
  })
  const entry = { physicalOffset: 17_215, size: 244, tagsCode: 2_598_920n }
  const queue = { minOffset: 0, maxOffset: 4, read: (_offset: number, count: number) => Array(count).fill(entry) }
  registerConsumeQueueQuery(router, {
    consumers,
    queue: (topic, id) => (topic === 'RecTopic' && id < 2 ? queue : undefined),
  })
  return { router, offsets, topics }
}

/** Fields that hold a map whose names are topics, groups, clients or queues. */
const mapFields = new Set([
  ...['topicConfigTable', 'subscriptionGroupTable', 'forbiddenTable', 'subscriptionTable', 'data'],
  ...['messageRequestModeMap', 'correctionOffsets', 'consumerTable', 'attributes', 'offsetTable'],
  ...['topicQueueMappingInfoMap', 'topicQueueMappingDetailMap', 'messageQueueTable'],
])

/** Places where the answer has elements that depend on what the recorded broker had been through. */
function comparable(name: string, answer: RemotingCommand): RemotingCommand {
  if (name !== 'get_broker_consume_stats_success' || answer.body === undefined) return answer
  // A list with one map for each group: only those with topics have a shape.
  answer.body = Buffer.from(
    answer.body
      .toString()
      .replace(/\{"[^"]+":\[\]\},?/g, '')
      .replace(/\{"[^"]+":\[\{"consumeTps/g, '{"G":[{"consumeTps'),
  )
  return answer
}

for (const { name, request, response } of recordedCalls()) {
  test(`the answer to ${name} is Java's in code, remark, header fields and shape of body`, async () => {
    const { router, offsets } = recordedBroker()
    // This one was asked before the group had consumed anything.
    if (name === 'invoke_broker_to_reset_offset_system_error') offsets.removeGroup('CG')
    const answer = await answerOf(router, request)
    assertSameAnswer(comparable(name, answer), comparable(name, response), mapFields)
  })
}

test('a static topic is refused with a reason, and so is a list of topics when one of them is refused', async () => {
  const { router, topics } = recordedBroker()
  const header = {
    topic: 'ST',
    defaultTopic: 'TBW102',
    readQueueNums: '1',
    writeQueueNums: '1',
    perm: '6',
    topicFilterType: 'SINGLE_TAG',
  }
  const refusal = await answerOf(router, requestCommand(513, header, Buffer.from('{}')))
  assert.equal(refusal.code, 3)
  assert.match(refusal.remark ?? '', /static topics are not supported/)
  const list = '{"topicConfigList":[{"topicName":"L1"},{"topicName":"TBW102"}]}'
  const answer = await answerOf(router, requestCommand(18, {}, Buffer.from(list)))
  assert.equal(answer.code, 29)
  assert.equal(topics.get('L1'), undefined)
})

test('an update that changes nothing leaves the data version alone, and in a list skips only that entry', async () => {
  const { router, topics } = recordedBroker()
  const before = topics.dataVersion.counter
  const list = '{"topicConfigList":[{"topicName":"PT","readQueueNums":2,"writeQueueNums":2},{"topicName":"L2"}]}'
  assert.equal((await answerOf(router, requestCommand(18, {}, Buffer.from(list)))).code, 0)
  assert.equal(topics.dataVersion.counter, before + 1)
  assert.equal(topics.get('L2')?.readQueueNums, 16)
})

test('a bad attribute is refused in the words of Java', async () => {
  const { router } = recordedBroker()
  const header = {
    topic: 'A',
    defaultTopic: 'TBW102',
    readQueueNums: '1',
    writeQueueNums: '1',
    perm: '6',
    topicFilterType: 'SINGLE_TAG',
    attributes: '+message.type=x',
  }
  const answer = await answerOf(router, requestCommand(17, header))
  assert.equal(answer.code, 1)
  assert.equal(answer.remark, 'value is not in set: [UNSPECIFIED, TRANSACTION, FIFO, MIXED, DELAY, NORMAL]')
})

test('asking what offsets to correct leaves the offsets of the named groups alone', async () => {
  const { router, offsets } = recordedBroker()
  const header = { topic: 'PT', compareGroup: 'CG', filterGroups: 'CG9' }
  await answerOf(router, requestCommand(308, header))
  assert.equal(offsets.query('CG9', 'PT', 1), 1)
})

test('a reset within the broker sets the offsets of all queues, or of one', async () => {
  const { router, offsets } = recordedBroker()
  await answerOf(router, requestCommand(25, {}, Buffer.from('useServerSideResetOffset=true')))
  const all = await answerOf(
    router,
    requestCommand(222, { topic: 'RecTopic', group: 'GC', timestamp: '-1', isForce: 'true' }),
  )
  assert.equal(all.code, 0)
  assert.deepEqual([offsets.query('GC', 'RecTopic', 0), offsets.query('GC', 'RecTopic', 1)], [4, 4])
  const one = { topic: 'RecTopic', group: 'GC', timestamp: '0', isForce: 'true', queueId: '1', offset: '3' }
  assert.equal((await answerOf(router, requestCommand(222, one))).code, 0)
  assert.deepEqual([offsets.query('GC', 'RecTopic', 0), offsets.query('GC', 'RecTopic', 1)], [4, 3])
  const outside = await answerOf(router, requestCommand(222, { ...one, offset: '9' }))
  assert.equal(outside.remark, 'Target offset 9 not in consume queue range [0-4]')
  const unknown = await answerOf(router, requestCommand(222, { ...one, group: 'nope' }))
  assert.deepEqual([unknown.code, unknown.remark], [26, 'Group nope does not exist'])
})

test('settings that do not exist or do not parse are refused with the reason', async () => {
  const { router } = recordedBroker()
  const update = (text: string) => answerOf(router, requestCommand(25, {}, Buffer.from(text)))
  assert.deepEqual([(await update('brokerConfigPath=/x')).code, (await update('rocketmqHome=/x')).code], [16, 16])
  assert.equal((await update('maxMessageSize=big')).code, 1)
  assert.match((await update('traceon=true')).remark ?? '', /did you mean traceOn\?/)
  const shown = await answerOf(router, requestCommand(26, {}))
  assert.deepEqual(Object.keys(JSON.parse(shown.extFields?.version ?? '')), ['counter', 'stateVersion', 'timestamp'])
  assert.match(shown.body?.toString() ?? '', /^accessMessageInMemoryHotRatio=26\n/)
})
