import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  consumeMessageDirectlyResult,
  consumerRunningInfo,
  getConsumerStatusBody,
  heartbeatData,
  RequestCode,
  requestCommand,
} from '@rocketmq-ts/protocol'
import { ConsumerScene } from '../support/consumer-scene.ts'
import { settle, until } from '../support/manual-clock.ts'
import { record } from '../support/records.ts'

test('the heartbeat announces the group, its subscriptions and its retry topic', async () => {
  await using scene = await ConsumerScene.start()
  const consumer = await scene.push({
    subscriptions: { orders: 'a || b' },
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
  })
  await consumer.start(() => {})
  const data = heartbeatData.decode(scene.broker.of(RequestCode.HEART_BEAT)[0]!.body!)
  assert.equal(data.clientID, '10.0.0.1@member-0')
  const [group] = data.consumerDataSet
  assert.equal(group?.groupName, 'g')
  assert.equal(group?.consumeType, 'CONSUME_PASSIVELY')
  assert.equal(group?.messageModel, 'CLUSTERING')
  assert.equal(group?.consumeFromWhere, 'CONSUME_FROM_FIRST_OFFSET')
  const byTopic = new Map(group?.subscriptionDataSet.map(subscription => [subscription.topic, subscription]))
  assert.deepEqual([...byTopic.keys()].sort(), ['%RETRY%g', 'orders'])
  assert.deepEqual([...byTopic.get('orders')!.tagsSet], ['a', 'b'])
  assert.deepEqual([...byTopic.get('orders')!.codeSet], [97, 98])
  assert.equal(byTopic.get('%RETRY%g')!.subString, '*')
})

test('running info shows queues, rates, subscriptions and settings', async () => {
  await using scene = await ConsumerScene.start()
  for (let i = 0; i < 5; i++) scene.broker.put('orders', 0)
  let count = 0
  const consumer = await scene.push({ concurrency: 7 })
  await consumer.start(async () => {
    if (count++ >= 3) await new Promise(() => {})
  })
  await until(() => count === 5, 'two are still at work')
  scene.clock.advance(10_000)
  await settle()
  const ext = { consumerGroup: 'g', clientId: consumer.clientId!, jstackEnable: 'true' }
  const answer = await scene.broker.ask(consumer.clientId!, requestCommand(RequestCode.GET_CONSUMER_RUNNING_INFO, ext))
  assert.equal(answer.code, 0)
  const info = consumerRunningInfo.decode(answer.body!)
  const [, queue] = [...info.mqTable].find(([{ topic }]) => topic === 'orders')!
  assert.equal(queue.cachedMsgCount, 2)
  assert.equal(queue.cachedMsgMinOffset, 3)
  assert.equal(queue.cachedMsgMaxOffset, 4)
  assert.equal(queue.commitOffset, 3)
  assert.equal(queue.droped, false)
  assert.equal(info.properties.get('PROP_CONSUME_TYPE'), 'CONSUME_PASSIVELY')
  assert.equal(info.properties.get('PROP_THREADPOOL_CORE_SIZE'), '7')
  assert.equal(info.properties.get('PROP_CLIENT_VERSION'), 'V5_3_3')
  assert.equal(info.properties.get('PROP_NAMESERVER_ADDR'), `${scene.nameServer.address};`)
  const status = info.statusTable.get('orders')!
  assert.equal(Number(status.consumeOKTPS), 0.3)
  assert.equal(Number(status.pullTPS), 0.5)
  assert.ok(info.jstack)
})

test('consumed offsets are told per queue', async () => {
  await using scene = await ConsumerScene.start()
  scene.broker.put('orders', 0)
  let count = 0
  const consumer = await scene.push()
  await consumer.start(() => void count++)
  await until(() => count === 1, 'the message is consumed')
  const request = requestCommand(RequestCode.GET_CONSUMER_STATUS_FROM_CLIENT, { topic: 'orders', group: 'g' })
  const answer = await scene.broker.ask(consumer.clientId!, request)
  const { messageQueueTable } = getConsumerStatusBody.decode(answer.body!)
  assert.deepEqual([...messageQueueTable], [[{ topic: 'orders', brokerName: 'broker-a', queueId: 0 }, 1]])
})

const directly = (clientId: string, uniqueKey: string) => {
  const ext = { consumerGroup: 'g', clientId, msgId: uniqueKey, brokerName: 'broker-b' }
  return requestCommand(
    RequestCode.CONSUME_MESSAGE_DIRECTLY,
    ext,
    record({ queueId: 3, queueOffset: 9, body: uniqueKey }),
  )
}

test('a message can be consumed directly, without touching any offset', async () => {
  await using scene = await ConsumerScene.start()
  const seen: string[] = []
  const consumer = await scene.push()
  await consumer.start(([message]) => {
    seen.push(`${message!.brokerName} ${message!.queueId} ${message!.queueOffset} ${message!.text()}`)
    if (message!.text() === 'later') return 'RECONSUME_LATER'
    if (message!.text() === 'throw') throw new Error('no such order')
    return undefined
  })
  const results = []
  for (const body of ['good', 'later', 'throw']) {
    const answer = await scene.broker.ask(consumer.clientId!, directly(consumer.clientId!, body))
    results.push(consumeMessageDirectlyResult.decode(answer.body!))
  }
  assert.deepEqual(
    results.map(({ consumeResult }) => consumeResult),
    ['CR_SUCCESS', 'CR_LATER', 'CR_THROW_EXCEPTION'],
  )
  assert.match(results[2]!.remark!, /no such order/)
  assert.deepEqual(seen, ['broker-b 3 9 good', 'broker-b 3 9 later', 'broker-b 3 9 throw'])
  assert.equal(scene.broker.of(RequestCode.CONSUMER_SEND_MSG_BACK).length, 0)
})

test('a group that is not here, or has no handler, is refused with code 1', async () => {
  await using scene = await ConsumerScene.start()
  const consumer = await scene.push()
  void consumer.messages().next()
  await until(() => scene.broker.heldCount === 2, 'the consumer waits')
  const answer = await scene.broker.ask(consumer.clientId!, directly(consumer.clientId!, 'good'))
  assert.equal(answer.code, 1)
  assert.equal(answer.remark, 'The Consumer Group <g> not exist in this consumer')
  const other = requestCommand(RequestCode.GET_CONSUMER_RUNNING_INFO, { consumerGroup: 'h', clientId: 'c' })
  assert.equal((await scene.broker.ask(consumer.clientId!, other)).code, 1)
})
