import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { BrokerOptions } from '@rocketmq-ts/broker'
import { buildSubscription } from '@rocketmq-ts/model'
import {
  type HeartbeatData,
  heartbeatData,
  type RemotingCommand,
  RequestCode,
  ResponseCode,
} from '@rocketmq-ts/protocol'
import { Peer, startTestBroker } from '../support/test-broker.js'

async function start(t: TestContext, options: Partial<BrokerOptions> = {}) {
  const broker = await startTestBroker(t, options)
  return { broker, connect: () => Peer.connect(t, broker.port) }
}

type Beat = Partial<HeartbeatData> & { topics?: string[]; group?: string; consumeType?: 'CONSUME_ACTIVELY' }

function beat(peer: Peer, clientID: string, fields: Beat = {}): Promise<RemotingCommand> {
  const { topics = ['T'], group = 'CG', consumeType = 'CONSUME_PASSIVELY', ...rest } = fields
  const body = heartbeatData.encode({
    clientID,
    producerDataSet: [{ groupName: 'PG' }],
    consumerDataSet: [
      {
        groupName: group,
        consumeType,
        messageModel: 'CLUSTERING',
        consumeFromWhere: 'CONSUME_FROM_LAST_OFFSET',
        subscriptionDataSet: topics.map(topic => buildSubscription(topic, '*', 'TAG', 1)),
        unitMode: false,
      },
    ],
    heartbeatFingerprint: 0,
    withoutSub: false,
    ...rest,
  })
  return peer.call(RequestCode.HEART_BEAT, {}, body)
}

const isStale = async (answer: Promise<RemotingCommand>) => (await answer).extFields!.IS_SUB_CHANGE

function members(answer: RemotingCommand): string[] {
  return JSON.parse(answer.body!.toString()).consumerIdList
}

const askMembers = (peer: Peer, consumerGroup = 'CG') =>
  peer.call(RequestCode.GET_CONSUMER_LIST_BY_GROUP, { consumerGroup })

test('a heartbeat makes its sender a member, creates group and retry topic, and tells the others', async t => {
  const { broker, connect } = await start(t)
  const [a, b] = [await connect(), await connect()]
  const answer = await beat(a, 'c1')
  assert.equal(answer.code, 0)
  assert.deepEqual({ ...answer.extFields }, { IS_SUPPORT_HEART_BEAT_V2: 'true', IS_SUB_CHANGE: 'true' })
  assert.equal(broker.state.topics.get('%RETRY%CG')!.writeQueueNums, 1)
  assert.ok(broker.state.groups.has('CG'))
  await beat(b, 'c2')
  await a.received(2)
  assert.equal(a.pushed[1]!.code, RequestCode.NOTIFY_CONSUMER_IDS_CHANGED)
  assert.equal(a.pushed[1]!.isOneway, true)
  assert.deepEqual({ ...a.pushed[1]!.extFields }, { consumerGroup: 'CG' })
  assert.deepEqual(members(await askMembers(a)).sort(), ['c1', 'c2'])
})

test('a group nobody consumes for is answered 1', async t => {
  const { connect } = await start(t)
  const answer = await askMembers(await connect(), 'nobody')
  assert.deepEqual([answer.code, answer.remark], [ResponseCode.SYSTEM_ERROR, 'no consumer for this group, nobody'])
})

test('members that unregister or lose their connection are gone, and the rest hears of it', async t => {
  const { broker, connect } = await start(t)
  const [a, b, c] = [await connect(), await connect(), await connect()]
  for (const [peer, id] of [
    [a, 'c1'],
    [b, 'c2'],
    [c, 'c3'],
  ] as const)
    await beat(peer, id)
  await a.received(3)
  await b.call(RequestCode.UNREGISTER_CLIENT, { clientID: 'c2', consumerGroup: 'CG', producerGroup: 'PG' })
  await a.received(4)
  assert.deepEqual(members(await askMembers(a)).sort(), ['c1', 'c3'])
  c.close()
  await a.received(5)
  assert.deepEqual(members(await askMembers(a)), ['c1'])
  assert.equal([...broker.state.producers.membersOf('PG')!].length, 1)
})

test('version 2: another fingerprint of the group asks for the subscriptions, the same one does not', async t => {
  const { connect } = await start(t)
  const [a, b] = [await connect(), await connect()]
  assert.equal(await isStale(beat(a, 'c1', { heartbeatFingerprint: 7 })), 'false')
  assert.equal(await isStale(beat(a, 'c1', { heartbeatFingerprint: 7, withoutSub: true, topics: [] })), 'false')
  assert.equal(await isStale(beat(b, 'c2', { heartbeatFingerprint: 8 })), 'true')
  assert.equal(await isStale(beat(a, 'c1', { heartbeatFingerprint: 7, withoutSub: true, topics: [] })), 'true')
})

test('version 2: the short form keeps the subscriptions, and asks for them when the broker has none', async t => {
  const { broker, connect } = await start(t)
  const a = await connect()
  assert.equal(await isStale(beat(a, 'c1', { heartbeatFingerprint: 7, withoutSub: true, topics: [] })), 'true')
  await beat(a, 'c1', { heartbeatFingerprint: 7 })
  await beat(a, 'c1', { heartbeatFingerprint: 7, withoutSub: true, topics: [] })
  assert.notEqual(broker.state.consumers.get('CG')!.subscriptionOf('T'), undefined)
})

test('a broker that rejects pull consumers does not take them in', async t => {
  const { connect } = await start(t, { rejectPullConsumerEnable: true })
  const a = await connect()
  assert.equal((await beat(a, 'c1', { consumeType: 'CONSUME_ACTIVELY' })).code, 0)
  assert.equal((await askMembers(a)).code, ResponseCode.SYSTEM_ERROR)
})

test('a heartbeat that is no JSON is answered with an error, and the connection goes on', async t => {
  const { connect } = await start(t)
  const a = await connect()
  assert.equal((await a.call(RequestCode.HEART_BEAT, {}, Buffer.from('{"clientID"'))).code, ResponseCode.SYSTEM_ERROR)
  assert.equal((await a.call(RequestCode.HEART_BEAT, {})).code, ResponseCode.SYSTEM_ERROR)
  assert.equal((await beat(a, 'c1')).code, 0)
})

test('tag subscriptions are fine, others are refused by a broker without filters', async t => {
  const { broker, connect } = await start(t)
  const a = await connect()
  const check = (subscriptionData: object) =>
    a.call(
      RequestCode.CHECK_CLIENT_CONFIG,
      {},
      Buffer.from(JSON.stringify({ clientId: 'c', group: 'CG', subscriptionData })),
    )
  assert.equal((await check(buildSubscription('T', 'TagA'))).code, 0)
  const sql = await check(buildSubscription('T', 'a > 1', 'SQL92'))
  assert.equal(sql.code, ResponseCode.SYSTEM_ERROR)
  assert.equal(sql.remark, 'The broker does not support consumer to filter message by SQL92')
  assert.equal((await a.call(RequestCode.CHECK_CLIENT_CONFIG, {})).code, 0)
  broker.options.enablePropertyFilter = true
  assert.equal((await check(buildSubscription('T', 'a > 1', 'SQL92'))).code, 0)
})
