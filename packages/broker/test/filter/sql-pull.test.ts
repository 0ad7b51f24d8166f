import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { BrokerOptions } from '@rocketmq-ts/broker'
import { buildSubscription, decodeStoredMessages } from '@rocketmq-ts/model'
import { heartbeatData, type RemotingCommand, RequestCode, ResponseCode } from '@rocketmq-ts/protocol'
import {
  Peer,
  type PullFields,
  pull,
  send,
  sendRequest,
  startTestBroker,
  temporaryDirectory,
} from '../support/test-broker.js'

async function start(t: TestContext, options: Partial<BrokerOptions> = {}) {
  const broker = await startTestBroker(t, { enablePropertyFilter: true, ...options })
  return { broker, peer: await Peer.connect(t, broker.port) }
}

const bodies = (answer: RemotingCommand) =>
  answer.body === undefined ? [] : decodeStoredMessages(answer.body).map(message => message.body.toString())

/** Messages m0 … with the property n. */
async function fill(peer: Peer, count: number, from = 0): Promise<void> {
  const request = (n: number) => sendRequest({ topic: 'T', body: Buffer.from(`m${n}`), properties: { n: String(n) } })
  await Promise.all(peer.callMany(Array.from({ length: count }, (_, i) => request(from + i))))
}

function beat(peer: Peer, expression: string, version: number): Promise<RemotingCommand> {
  const consumer = {
    groupName: 'CG',
    consumeType: 'CONSUME_PASSIVELY',
    messageModel: 'CLUSTERING',
    consumeFromWhere: 'CONSUME_FROM_LAST_OFFSET',
    subscriptionDataSet: [buildSubscription('T', expression, 'SQL92', version)],
    unitMode: false,
  } as const
  const heartbeat = {
    clientID: 'c1',
    producerDataSet: [],
    consumerDataSet: [consumer],
    heartbeatFingerprint: 0,
    withoutSub: false,
  }
  return peer.call(RequestCode.HEART_BEAT, {}, heartbeatData.encode(heartbeat))
}

const carried = (expression: string, fields: Partial<PullFields> = {}): PullFields => ({
  topic: 'T',
  expressionType: 'SQL92',
  subscription: expression,
  ...fields,
})

test('a pull that carries a selection gets what it selects; a wrong one is 23, and 1 while the filter is off', async t => {
  const { broker, peer } = await start(t)
  await fill(peer, 10)
  const answer = await pull(peer, carried('n BETWEEN 3 AND 5 OR n = 9'))
  assert.deepEqual(bodies(answer), ['m3', 'm4', 'm5', 'm9'])
  assert.equal(answer.extFields!.nextBeginOffset, '10')
  assert.equal((await pull(peer, carried('n > > 3'))).code, ResponseCode.SUBSCRIPTION_PARSE_FAILED)
  const none = await pull(peer, carried('n = 77'))
  assert.equal(none.code, ResponseCode.PULL_RETRY_IMMEDIATELY)
  assert.equal(none.extFields!.nextBeginOffset, '10')
  broker.options.enablePropertyFilter = false
  for (const expression of ['n > 3', 'n > > 3']) {
    const refused = await pull(peer, carried(expression))
    assert.equal(refused.code, ResponseCode.SYSTEM_ERROR)
    assert.equal(refused.remark, 'The broker does not support consumer to filter message by SQL92')
  }
  broker.options.enablePropertyFilter = true
  assert.deepEqual(bodies(await pull(peer, carried('n > 8'))), ['m9'])
})

test('a pull without selection uses that of the heartbeat: 27 when it is wrong, 28 when it is old', async t => {
  const { broker, peer } = await start(t)
  await fill(peer, 10)
  await beat(peer, 'n >= 8', 7)
  assert.deepEqual(bodies(await pull(peer, { topic: 'T', sysFlag: 0, subVersion: 7 })), ['m8', 'm9'])
  const data = broker.state.filters.get('T', 'CG')!
  await beat(peer, 'n >=', 8)
  assert.equal((await pull(peer, { topic: 'T', sysFlag: 0, subVersion: 8 })).code, ResponseCode.FILTER_DATA_NOT_EXIST)
  await beat(peer, 'n >= 9', 9)
  assert.deepEqual(bodies(await pull(peer, { topic: 'T', sysFlag: 0, subVersion: 9 })), ['m9'])
  broker.state.filters.get('T', 'CG')!.clientVersion = 8
  assert.equal((await pull(peer, { topic: 'T', sysFlag: 0, subVersion: 9 })).code, ResponseCode.FILTER_DATA_NOT_LATEST)
  assert.equal(data.expression, 'n >= 8')
  const closed = peer.closed
  peer.close()
  await closed
  const other = await Peer.connect(t, broker.port)
  await send(other, { topic: 'T' })
  const left = broker.state.filters.get('T', 'CG')!
  assert.ok(left.deadTimeMs >= left.bornTimeMs)
})

test('a sparse selection moves through the backlog as far per pull as a sparse tag', async t => {
  const { peer } = await start(t)
  await fill(peer, 2000)
  let offset = 0
  let pulls = 0
  const got: string[] = []
  while (offset < 2000) {
    const answer = await pull(peer, carried('n = 700 OR n = 1999', { offset }))
    pulls++
    got.push(...bodies(answer))
    offset = Number(answer.extFields!.nextBeginOffset)
  }
  assert.deepEqual(got, ['m700', 'm1999'])
  assert.equal(pulls, 3)
})

test('messages that are only in files any more are selected as well, each once', async t => {
  const directory = temporaryDirectory(t)
  const first = await start(t, { storePathRootDir: directory })
  await fill(first.peer, 300)
  await first.broker.close()
  const { peer } = await start(t, { storePathRootDir: directory })
  await fill(peer, 20, 300)
  const got: string[] = []
  for (let offset = 0; offset < 320; ) {
    const answer = await pull(peer, carried("n ENDSWITH '7'", { offset, maxCount: 5 }))
    got.push(...bodies(answer))
    offset = Number(answer.extFields!.nextBeginOffset)
  }
  assert.deepEqual(
    got,
    Array.from({ length: 32 }, (_, i) => `m${10 * i + 7}`),
  )
})

test('a message that is not selected leaves a held pull waiting, and the right one wakes it', async t => {
  const { broker, peer } = await start(t)
  await fill(peer, 1)
  const held = pull(peer, carried('n > 100', { offset: 1, sysFlag: 2 | 4, suspendMs: 60_000 }))
  let isAnswered = false
  void held.then(() => {
    isAnswered = true
  })
  await fill(peer, 1, 50)
  await fill(peer, 1, 60)
  assert.equal(isAnswered, false)
  assert.equal(broker.heldPulls, 1)
  await fill(peer, 1, 200)
  assert.deepEqual(bodies(await held), ['m200'])
})

test('CHECK_CLIENT_CONFIG compiles the expression, and says what is wrong with it', async t => {
  const { peer } = await start(t)
  const check = (subscriptionData: object) => {
    const body = Buffer.from(JSON.stringify({ clientId: 'c', group: 'CG', subscriptionData }))
    return peer.call(RequestCode.CHECK_CLIENT_CONFIG, {}, body)
  }
  assert.equal((await check(buildSubscription('T', 'n > 3', 'SQL92'))).code, 0)
  const wrong = await check(buildSubscription('T', "n > 'x'", 'SQL92'))
  assert.equal(wrong.code, ResponseCode.SUBSCRIPTION_PARSE_FAILED)
  assert.equal(wrong.remark, "Invalid MessageSelector. 'x' can not be compared by <, <=, >, >= or BETWEEN")
})

test('bit maps are made at dispatch, asked at the pull, and the selections outlive a restart', async t => {
  const storePathRootDir = temporaryDirectory(t)
  const options = { storePathRootDir, enableConsumeQueueExt: true, enableCalcFilterBitMap: true }
  const first = await start(t, options)
  await fill(first.peer, 1)
  await beat(first.peer, 'n >= 8', 7)
  const { bornTimeMs } = first.broker.state.filters.get('T', 'CG')!
  while (Date.now() <= bornTimeMs) await new Promise(resolve => setTimeout(resolve, 1))
  await fill(first.peer, 9, 1)
  const { filter } = first.broker.state.filters.get('T', 'CG')!
  const asked: number[] = []
  const spied = {
    matchesEntry: filter.matchesEntry.bind(filter),
    matchesRecord: (record: Buffer) => asked.push(record.length) > 0 && filter.matchesRecord(record),
  }
  const found = await first.broker.store.getMessages({
    topic: 'T',
    queueId: 0,
    offset: 0,
    maxCount: 32,
    tagFilter: spied,
  })
  assert.equal(found.messageCount, 2)
  // m0 is older than the selection, so its record had to be read; of the others only two.
  assert.equal(asked.length, 3)
  await first.broker.close()

  const second = await start(t, options)
  const data = second.broker.state.filters.get('T', 'CG')!
  assert.deepEqual([data.expression, data.clientVersion, data.bornTimeMs], ['n >= 8', 7, bornTimeMs])
  await beat(second.peer, 'n >= 8', 7)
  assert.deepEqual(bodies(await pull(second.peer, { topic: 'T', sysFlag: 0, subVersion: 7 })), ['m8', 'm9'])
})
