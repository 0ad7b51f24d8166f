import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AllocateStrategy, allocateByConfig, allocateByMachineRoom, type PushConsumer } from '@rocketmq-ts/client'
import { consumerRunningInfo, RequestCode, requestCommand } from '@rocketmq-ts/protocol'
import { ConsumerScene } from '../support/consumer-scene.ts'
import { rejectionOf } from '../support/fake-cluster.ts'
import { advanceUntil } from '../support/manual-clock.ts'

const queuesOf = (consumer: PushConsumer) =>
  consumer.heldQueues
    .filter(({ topic }) => topic === 'orders')
    .map(({ queueId }) => queueId)
    .sort()

const queue = (queueId: number) => ({ topic: 'orders', brokerName: 'broker-a', queueId })
const firstAlone: AllocateStrategy = {
  name: 'FIRST',
  allocate: (_group, clientId, queues, clientIds) => (clientIds[0] === clientId ? [...queues] : []),
}

for (const [what, options, name, shares] of [
  ['nothing', {}, 'AVG', ['0,1', '2,3']],
  ['a name', { allocateStrategy: 'AVG_BY_CIRCLE' }, 'AVG_BY_CIRCLE', ['0,2', '1,3']],
  ['an object', { allocateStrategy: firstAlone }, 'FIRST', ['', '0,1,2,3']],
] as const) {
  test(`members share queues by ${name} when ${what} is given`, async () => {
    await using scene = await ConsumerScene.start({ orders: 4 })
    const members = [await scene.push(options), await scene.push(options)]
    for (const member of members) await member.start(() => {})
    const found = () => members.map(member => queuesOf(member).join()).sort()
    await advanceUntil(scene.clock, () => found().join(' ') === shares.join(' '), `shares ${shares.join(' and ')}`)
    const { clientId } = members[0]!
    const ext = { consumerGroup: 'g', clientId: clientId! }
    const answer = await scene.broker.ask(clientId!, requestCommand(RequestCode.GET_CONSUMER_RUNNING_INFO, ext))
    const { properties } = consumerRunningInfo.decode(answer.body!)
    assert.equal(properties.get('allocateMessageQueueStrategy'), name)
  })
}

test('a consumer takes consistent hashing by name, and strategies with settings as objects', async () => {
  await using scene = await ConsumerScene.start({ orders: 4 })
  const hashed = await scene.push({ allocateStrategy: 'CONSISTENT_HASH' })
  await hashed.start(() => {})
  assert.deepEqual(queuesOf(hashed), [0, 1, 2, 3])
  await hashed.close()
  const fixed = await scene.push({ allocateStrategy: allocateByConfig([queue(2)]) })
  await fixed.start(() => {})
  assert.deepEqual(queuesOf(fixed), [2])
  await fixed.close()
  const elsewhere = await scene.push({ allocateStrategy: allocateByMachineRoom(['room-b']) })
  await elsewhere.start(() => {})
  assert.deepEqual(queuesOf(elsewhere), [])
})

test('a strategy that is neither a known name nor an object is refused, with the names there are', async () => {
  await using scene = await ConsumerScene.start()
  for (const allocateStrategy of ['avg', { name: 'x' }, null]) {
    const error = await rejectionOf(scene.push({ allocateStrategy: allocateStrategy as never }))
    assert.equal(error.code, 'INVALID_ARGUMENT')
    assert.match(error.message, /AVG, AVG_BY_CIRCLE, CONSISTENT_HASH/)
  }
})
