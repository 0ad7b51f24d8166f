import assert from 'node:assert/strict'
import { test } from 'node:test'
import { topicConfig } from '@rocketmq-ts/model'
import { RocketMqError, silentLogger } from '@rocketmq-ts/runtime'
import { type BrokerOptions, createBrokerOptions } from '../../dist/options.js'
import { type TopicChange, TopicTable } from '../../dist/topic/topic-table.js'
import { AdminClock } from '../support/admin-clock.js'

function tableOf(overrides: Partial<BrokerOptions> = {}) {
  const options = createBrokerOptions({ brokerName: 'broker-a', ...overrides })
  const clock = new AdminClock()
  const topics = new TopicTable({ options, clock, logger: silentLogger })
  const changes: string[] = []
  topics.onChange((change: TopicChange) => changes.push(`${change.kind} ${change.topic.topicName}`))
  return { topics, options, clock, changes }
}

const onSend = (topic: string, more: object = {}) => ({
  topic,
  defaultTopic: 'TBW102',
  queueCount: 4,
  remoteAddress: '127.0.0.1:1',
  sysFlag: 0,
  ...more,
})

test('a first start has the system topics with their queues and permissions', () => {
  const { topics } = tableOf({ traceTopicEnable: true })
  const shown = Object.fromEntries(Array.from(topics.values(), t => [t.topicName, [t.writeQueueNums, t.perm]]))
  assert.deepEqual(shown, {
    SELF_TEST_TOPIC: [1, 6],
    TBW102: [8, 7],
    BenchmarkTest: [1024, 6],
    DefaultCluster: [16, 7],
    'broker-a': [1, 7],
    OFFSET_MOVED_EVENT: [1, 6],
    SCHEDULE_TOPIC_XXXX: [18, 6],
    RMQ_SYS_TRACE_TOPIC: [1, 6],
    DefaultCluster_REPLY_TOPIC: [1, 6],
    rmq_sys_REVIVE_LOG_DefaultCluster: [8, 6],
    'rmq_sys_SYNC_BROKER_MEMBER_broker-a': [1, 1],
    RMQ_SYS_TRANS_HALF_TOPIC: [1, 6],
    RMQ_SYS_TRANS_OP_HALF_TOPIC: [1, 6],
    rmq_sys_wheel_timer: [1, 6],
  })
  assert.equal(topics.dataVersion.counter, 0)
})

test('topics that settings switch off are not made', () => {
  const { topics } = tableOf({ autoCreateTopicEnable: false, timerWheelEnable: false, clusterTopicEnable: false })
  assert.equal(topics.get('TBW102'), undefined)
  assert.equal(topics.get('RMQ_SYS_TRACE_TOPIC'), undefined)
  assert.equal(topics.get('rmq_sys_wheel_timer'), undefined)
  assert.equal(topics.get('DefaultCluster')?.perm, 1)
})

test('a sent-to topic is created from its default topic: no more queues, no inherit bit', () => {
  const { topics, changes } = tableOf()
  const created = topics.createOnSend(onSend('T', { queueCount: 100, sysFlag: 1 }))
  assert.deepEqual(created, topicConfig('T', { readQueueNums: 8, writeQueueNums: 8, perm: 6, topicSysFlag: 1 }))
  assert.equal(topics.createOnSend(onSend('T')), created)
  assert.equal(topics.createOnSend(onSend('U', { queueCount: -3 }))?.writeQueueNums, 0)
  assert.deepEqual(changes, ['created T', 'created U'])
  assert.equal(topics.dataVersion.counter, 2)
})

test('a topic is not created when its default topic is missing, does not inherit, or auto-creation is off', () => {
  const { topics, options, changes } = tableOf()
  assert.equal(topics.createOnSend(onSend('T', { defaultTopic: 'nope' })), undefined)
  assert.equal(topics.createOnSend(onSend('T', { defaultTopic: 'BenchmarkTest' })), undefined)
  options.autoCreateTopicEnable = false
  assert.equal(topics.createOnSend(onSend('T')), undefined)
  assert.notEqual(topics.createOnSend(onSend('T', { defaultTopic: 'broker-a' })), undefined)
  options.autoCreateTopicEnable = true
  assert.notEqual(topics.createOnSend(onSend('U')), undefined)
  assert.deepEqual(changes, ['created T', 'created U'])
})

test('a retry topic is created once and takes over the order flag later', () => {
  const { topics, changes } = tableOf()
  const created = topics.ensureRetryTopic('G', 2)
  assert.equal(created.topicName, '%RETRY%G')
  assert.deepEqual([created.readQueueNums, created.writeQueueNums, created.perm], [2, 2, 6])
  assert.equal(topics.ensureRetryTopic('G', 9), created)
  assert.equal(topics.ensureRetryTopic('G', 9, { order: true }).order, true)
  assert.equal(topics.get('%RETRY%G')?.readQueueNums, 2)
  assert.deepEqual(changes, ['created %RETRY%G', 'updated %RETRY%G'])
})

test('attributes change by signed names, and a refused change leaves the topic alone', () => {
  const { topics } = tableOf()
  topics.update(topicConfig('T'), new Map([['+message.type', 'FIFO']]))
  assert.deepEqual(topics.get('T')?.attributes, { 'message.type': 'FIFO' })
  topics.update(topicConfig('T', { perm: 4 }), new Map())
  assert.deepEqual(topics.get('T')?.attributes, { 'message.type': 'FIFO' })
  for (const change of [
    ['+message.type', 'x'],
    ['+queue.type', 'BatchCQ'],
    ['-reserve.time', ''],
    ['+reserve.time', '5'],
  ]) {
    assert.throws(
      () => topics.update(topicConfig('T', { perm: 2 }), new Map([change as [string, string]])),
      (error: unknown) => RocketMqError.is(error) && error.code === 'INVALID_ARGUMENT',
    )
  }
  assert.equal(topics.get('T')?.perm, 4)
  topics.update(topicConfig('T'), new Map([['-message.type', '']]))
  assert.deepEqual(topics.get('T')?.attributes, {})
})

test('each change counts the data version up and dates it', () => {
  const { topics, clock } = tableOf()
  clock.advance(5)
  topics.update(topicConfig('T'), new Map())
  assert.deepEqual(topics.dataVersion, { stateVersion: 0, timestamp: clock.now(), counter: 1 })
  assert.equal(topics.delete('T'), true)
  assert.equal(topics.delete('T'), false)
  assert.equal(topics.dataVersion.counter, 2)
})

test('the names of system topics are those of the fixed list, of this broker, and all with the system prefix', () => {
  const { topics } = tableOf()
  for (const name of ['TBW102', 'CHECKPOINT_TOPIC', 'DefaultCluster', 'broker-a', 'rmq_sys_whatever']) {
    assert.equal(topics.isSystem(name), true, name)
  }
  assert.equal(topics.isSystem('T'), false)
})

test('a topic may have the name of a property that every object has', () => {
  const { topics } = tableOf()
  for (const name of ['__proto__', 'constructor', 'toString']) {
    assert.equal(topics.get(name), undefined)
    assert.equal(topics.createOnSend(onSend(name))?.topicName, name)
    assert.equal(topics.get(name)?.topicName, name)
  }
})

test('topics that the name servers call ordered are marked', () => {
  const { topics, changes } = tableOf()
  topics.update(topicConfig('T'), new Map())
  topics.markOrdered(['T', 'unknown'])
  topics.markOrdered(['T'])
  assert.equal(topics.get('T')?.order, true)
  assert.deepEqual(changes, ['created T', 'updated T'])
})
