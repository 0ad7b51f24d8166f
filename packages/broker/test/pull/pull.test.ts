import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { BrokerOptions } from '@rocketmq-ts/broker'
import { buildSubscription, decodeStoredMessages, type StoredMessage } from '@rocketmq-ts/model'
import { heartbeatData, type RemotingCommand, RequestCode, ResponseCode } from '@rocketmq-ts/protocol'
import { Peer, type PullFields, pull, pullRequest, send, sendRequest, startTestBroker } from '../support/test-broker.js'

async function start(t: TestContext, options: Partial<BrokerOptions> = {}) {
  const broker = await startTestBroker(t, options)
  return { broker, peer: await Peer.connect(t, broker.port) }
}

function bodies(answer: RemotingCommand): string[] {
  const messages: StoredMessage[] = answer.body === undefined ? [] : decodeStoredMessages(answer.body)
  return messages.map(message => message.body.toString())
}

async function fill(peer: Peer, topic: string, count: number, properties: Record<string, string> = {}): Promise<void> {
  const requests = Array.from({ length: count }, (_, i) =>
    sendRequest({ topic, body: Buffer.from(`m${i}`), properties }),
  )
  await Promise.all(peer.callMany(requests))
}

const suspend = 2
const subscription = 4

test('a pull gives the messages from its offset on, and says where to go on', async t => {
  const { peer } = await start(t)
  await fill(peer, 'T', 10)
  const answer = await pull(peer, { topic: 'T', offset: 3, maxCount: 5 })
  assert.equal(answer.code, 0)
  assert.equal(answer.remark, 'FOUND')
  assert.deepEqual(bodies(answer), ['m3', 'm4', 'm5', 'm6', 'm7'])
  assert.deepEqual(
    { ...answer.extFields },
    {
      suggestWhichBrokerId: '0',
      nextBeginOffset: '8',
      minOffset: '0',
      maxOffset: '10',
      topicSysFlag: '0',
      groupSysFlag: '0',
    },
  )
  const records = decodeStoredMessages(answer.body!)
  assert.deepEqual(
    records.map(record => record.queueOffset),
    [3, 4, 5, 6, 7],
  )
})

test('offsets outside the queue are corrected, and one too high falls back to the end, not to the start (case R02)', async t => {
  const { peer } = await start(t)
  await fill(peer, 'T', 1)
  const outcome = async (offset: number) => {
    const { code, extFields } = await pull(peer, { topic: 'T', offset })
    const { nextBeginOffset, minOffset, maxOffset } = extFields!
    assert.equal(minOffset, '0')
    assert.equal(maxOffset, '1')
    return [code, Number(nextBeginOffset)]
  }
  assert.deepEqual(await outcome(-1), [ResponseCode.PULL_OFFSET_MOVED, 0])
  assert.deepEqual(await outcome(0), [ResponseCode.SUCCESS, 1])
  assert.deepEqual(await outcome(1), [ResponseCode.PULL_NOT_FOUND, 1])
  assert.deepEqual(await outcome(2), [ResponseCode.PULL_OFFSET_MOVED, 1])
  assert.deepEqual(await outcome(1000), [ResponseCode.PULL_OFFSET_MOVED, 1])
})

test('an empty queue is answered 19 at offset 0, and 21 at any other', async t => {
  const { peer } = await start(t)
  await send(peer, { topic: 'T', queueId: 0 })
  const outcome = async (offset: number) => {
    const { code, extFields } = await pull(peer, { topic: 'T', queueId: 1, offset })
    return [code, extFields!.nextBeginOffset]
  }
  assert.deepEqual(await outcome(0), [ResponseCode.PULL_NOT_FOUND, '0'])
  assert.deepEqual(await outcome(5), [ResponseCode.PULL_OFFSET_MOVED, '0'])
})

test('tag expressions select as Java selects (case R39)', async t => {
  const { peer } = await start(t)
  await send(peer, { topic: 'T', body: Buffer.from('A'), properties: { TAGS: 'TagA' } })
  await send(peer, { topic: 'T', body: Buffer.from('B'), properties: { TAGS: 'TagB' } })
  await send(peer, { topic: 'T', body: Buffer.from('none') })
  const select = async (expression: string) => {
    const answer = await pull(peer, { topic: 'T', subscription: expression })
    return answer.code === 0 ? bodies(answer).join() : answer.code
  }
  assert.equal(await select(''), 'A,B,none')
  assert.equal(await select('*'), 'A,B,none')
  assert.equal(await select('TagA'), 'A')
  assert.equal(await select(' TagA || TagB '), 'A,B')
  assert.equal(await select('||'), ResponseCode.SUBSCRIPTION_PARSE_FAILED)
  assert.equal(await select(' '), ResponseCode.PULL_RETRY_IMMEDIATELY)
  assert.equal(await select('*||TagA'), 'A')
  const nothing = await pull(peer, { topic: 'T', subscription: 'TagZ' })
  assert.equal(nothing.code, ResponseCode.PULL_RETRY_IMMEDIATELY)
  assert.equal(nothing.remark, 'NO_MATCHED_MESSAGE')
  assert.equal(nothing.extFields!.nextBeginOffset, '3')
})

test('a sparse filter moves through the backlog pull by pull (case R121)', async t => {
  const { peer } = await start(t)
  await fill(peer, 'T', 2500, { TAGS: 'y' })
  await fill(peer, 'T', 1, { TAGS: 'x' })
  let offset = 0
  let pulls = 0
  for (;;) {
    const answer = await pull(peer, { topic: 'T', offset, subscription: 'x' })
    pulls++
    offset = Number(answer.extFields!.nextBeginOffset)
    if (answer.code === 0) break
    assert.equal(answer.code, ResponseCode.PULL_RETRY_IMMEDIATELY)
  }
  assert.equal(offset, 2501)
  assert.equal(pulls, 4)
})

test('one answer holds at most 32 messages and 256 KiB, but always one', async t => {
  const { peer } = await start(t)
  await fill(peer, 'T', 100)
  assert.equal(bodies(await pull(peer, { topic: 'T', maxCount: 1000 })).length, 32)
  assert.equal(bodies(await pull(peer, { topic: 'T', maxCount: 0 })).length, 1)
  const large = Buffer.alloc(100_000, 1)
  for (let i = 0; i < 4; i++) await send(peer, { topic: 'L', body: large })
  const answer = await pull(peer, { topic: 'L' })
  assert.equal(decodeStoredMessages(answer.body!).length, 2)
  await send(peer, { topic: 'XL', body: Buffer.alloc(1_000_000, 2) })
  const one = decodeStoredMessages((await pull(peer, { topic: 'XL' })).body!)
  assert.equal(one.length, 1)
  assert.ok(one[0]!.body.every(byte => byte === 2))
})

test('a held pull is answered by the message that arrives, whole', async t => {
  const { peer } = await start(t)
  await fill(peer, 'T', 1)
  const held = pull(peer, { topic: 'T', offset: 1, sysFlag: suspend | subscription, suspendMs: 60_000 })
  const other = await Peer.connect(t, peer.socket.remotePort!)
  await send(other, { topic: 'T', body: Buffer.from('late') })
  const answer = await held
  assert.equal(answer.code, 0)
  assert.deepEqual(bodies(answer), ['late'])
  assert.equal(answer.extFields!.nextBeginOffset, '2')
})

test('a held pull on a queue that has never had a message is woken by its first', async t => {
  const { peer } = await start(t)
  await send(peer, { topic: 'T', queueId: 0 })
  const held = pull(peer, { topic: 'T', queueId: 1, sysFlag: suspend | subscription, suspendMs: 60_000 })
  await send(peer, { topic: 'T', queueId: 1, body: Buffer.from('first') })
  assert.deepEqual(bodies(await held), ['first'])
})

test('a message for another tag leaves a held pull waiting, and the right one wakes it with what it wants', async t => {
  const { broker, peer } = await start(t)
  await fill(peer, 'T', 1)
  const held = pull(peer, {
    topic: 'T',
    offset: 1,
    sysFlag: suspend | subscription,
    suspendMs: 60_000,
    subscription: 'TagA',
  })
  let isAnswered = false
  void held.then(() => {
    isAnswered = true
  })
  await send(peer, { topic: 'T', body: Buffer.from('B'), properties: { TAGS: 'TagB' } })
  await send(peer, { topic: 'T', queueId: 1, body: Buffer.from('A in another queue'), properties: { TAGS: 'TagA' } })
  assert.equal(isAnswered, false)
  await send(peer, { topic: 'T', body: Buffer.from('A'), properties: { TAGS: 'TagA' } })
  assert.deepEqual(bodies(await held), ['A'])
  assert.equal(broker.store.maxOffset('T', 0), 3)
})

test('a held pull is answered 19 when its time is over, and at once without the suspend flag (case R86)', async t => {
  const { peer } = await start(t)
  await fill(peer, 'T', 1)
  const at = performance.now()
  const late = await pull(peer, { topic: 'T', offset: 1, sysFlag: suspend | subscription, suspendMs: 150 })
  assert.ok(performance.now() - at >= 140)
  assert.equal(late.code, ResponseCode.PULL_NOT_FOUND)
  assert.equal(late.extFields!.nextBeginOffset, '1')
  const now = await pull(peer, { topic: 'T', offset: 1, suspendMs: 60_000 })
  assert.equal(now.code, ResponseCode.PULL_NOT_FOUND)
})

test('no message slips between "nothing there" and "waiting" (case R86)', async t => {
  const { peer } = await start(t)
  const consumer = await Peer.connect(t, peer.socket.remotePort!)
  await fill(peer, 'T', 1)
  for (let offset = 1; offset <= 200; offset++) {
    const request = { topic: 'T', offset, sysFlag: suspend | subscription, suspendMs: 60_000 }
    const sent = send(peer, { topic: 'T', body: Buffer.from(String(offset)) })
    const answer = await pull(consumer, request)
    await sent
    assert.deepEqual(bodies(answer), [String(offset)])
  }
})

test('a closed connection leaves no waiting pull behind', async t => {
  const { broker, peer } = await start(t)
  await fill(peer, 'T', 1)
  const consumer = await Peer.connect(t, broker.port)
  const request: PullFields = { topic: 'T', offset: 1, sysFlag: suspend | subscription, suspendMs: 60_000 }
  consumer.callMany([pullRequest(request), pullRequest({ ...request, queueId: 2, offset: 0 })])
  await consumer.call(RequestCode.GET_MAX_OFFSET, { topic: 'T', queueId: '0' })
  const heldPulls = () => broker.heldPulls
  assert.equal(heldPulls(), 2)
  consumer.close()
  while (heldPulls() !== 0) await new Promise<void>(resolve => setImmediate(resolve))
})

test('more waiting pulls than the broker allows are told to come back', async t => {
  const { peer } = await start(t, { pullQueueCapacity: 2 })
  await fill(peer, 'T', 1)
  const request = pullRequest({ topic: 'T', offset: 1, sysFlag: suspend | subscription, suspendMs: 60_000 })
  const [a, b, c] = peer.callMany([request, request, request])
  const answer = await c!
  assert.equal(answer.code, ResponseCode.SYSTEM_BUSY)
  assert.equal(answer.remark, '[OVERLOAD]system busy, start flow control for a while')
  await send(peer, { topic: 'T' })
  assert.deepEqual([(await a!).code, (await b!).code], [0, 0])
})

test('the offset that a pull carries is committed when it arrives, also when it then waits', async t => {
  const { broker, peer } = await start(t)
  await fill(peer, 'T', 3)
  const { offsets } = broker.state
  await pull(peer, { topic: 'T', offset: 1, sysFlag: 1 | subscription, commitOffset: 1 })
  assert.equal(offsets.query('CG', 'T', 0), 1)
  await pull(peer, { topic: 'T', offset: 1, sysFlag: subscription, commitOffset: 2 })
  assert.equal(offsets.query('CG', 'T', 0), 1)
  const held = pull(peer, {
    topic: 'T',
    offset: 3,
    sysFlag: 1 | suspend | subscription,
    suspendMs: 60_000,
    commitOffset: 3,
  })
  await peer.call(RequestCode.GET_MAX_OFFSET, { topic: 'T', queueId: '0' })
  assert.equal(offsets.query('CG', 'T', 0), 3)
  offsets.commit('CG', 'T', 0, 4)
  await send(peer, { topic: 'T' })
  await held
  assert.equal(offsets.query('CG', 'T', 0), 4)
})

test('a pending reset answers the next pull with its offset, and its old commit does not undo it', async t => {
  const { broker, peer } = await start(t)
  await fill(peer, 'T', 5)
  const { offsets } = broker.state
  offsets.assignReset('CG', 'T', 0, 2)
  const answer = await pull(peer, { topic: 'T', offset: 5, sysFlag: 1 | subscription, commitOffset: 5 })
  assert.equal(answer.code, ResponseCode.PULL_OFFSET_MOVED)
  assert.equal(answer.remark, 'OFFSET_RESET')
  const { nextBeginOffset, minOffset, maxOffset } = answer.extFields!
  assert.deepEqual([nextBeginOffset, minOffset, maxOffset], ['2', '0', '5'])
  assert.equal(offsets.query('CG', 'T', 0), 2)
  assert.equal((await pull(peer, { topic: 'T', offset: 2 })).code, 0)
})

test('the checks before a read answer with their codes, and with what is forbidden', async t => {
  const { broker, peer } = await start(t, { autoCreateSubscriptionGroup: false })
  await fill(peer, 'T', 1)
  const { topics, groups } = broker.state
  const outcome = async (fields: Partial<PullFields>) => {
    const { code, extFields } = await pull(peer, { topic: 'T', group: 'TOOLS_CONSUMER', ...fields })
    return extFields?.forbiddenType === undefined ? code : [code, extFields.forbiddenType]
  }
  assert.equal(await outcome({}), 0)
  assert.equal(await outcome({ group: 'nobody' }), ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST)
  assert.equal(await outcome({ topic: 'nothing' }), ResponseCode.TOPIC_NOT_EXIST)
  assert.equal(await outcome({ queueId: 9 }), ResponseCode.INVALID_PARAMETER)
  assert.equal(await outcome({ queueId: -1 }), ResponseCode.INVALID_PARAMETER)
  assert.equal(await outcome({ expressionType: 'SQL92', subscription: 'a > 1' }), ResponseCode.SYSTEM_ERROR)
  assert.equal(await outcome({ sysFlag: 0 }), ResponseCode.SUBSCRIPTION_NOT_EXIST)
  topics.update({ ...topics.get('T')!, perm: 2 }, new Map())
  assert.deepEqual(await outcome({}), [ResponseCode.NO_PERMISSION, '3'])
  groups.update({ ...groups.find('TOOLS_CONSUMER')!, consumeEnable: false })
  assert.deepEqual(await outcome({}), [ResponseCode.NO_PERMISSION, '2'])
  broker.options.brokerPermission = 2
  assert.deepEqual(await outcome({}), [ResponseCode.NO_PERMISSION, '1'])
})

test('a pull without subscription uses that of the heartbeat, and says when it is too old', async t => {
  const { broker, peer } = await start(t)
  await send(peer, { topic: 'T', body: Buffer.from('A'), properties: { TAGS: 'TagA' } })
  await send(peer, { topic: 'T', body: Buffer.from('B'), properties: { TAGS: 'TagB' } })
  const beat = (messageModel: 'CLUSTERING' | 'BROADCASTING') =>
    peer.call(
      RequestCode.HEART_BEAT,
      {},
      heartbeatData.encode({
        clientID: 'c1',
        producerDataSet: [],
        consumerDataSet: [
          {
            groupName: 'CG',
            consumeType: 'CONSUME_PASSIVELY',
            messageModel,
            consumeFromWhere: 'CONSUME_FROM_LAST_OFFSET',
            subscriptionDataSet: [buildSubscription('T', 'TagB', 'TAG', 7)],
            unitMode: false,
          },
        ],
        heartbeatFingerprint: 0,
        withoutSub: false,
      }),
    )
  await beat('CLUSTERING')
  assert.deepEqual(bodies(await pull(peer, { topic: 'T', sysFlag: 0, subVersion: 7 })), ['B'])
  const stale = await pull(peer, { topic: 'T', sysFlag: 0, subVersion: 8 })
  assert.equal(stale.code, ResponseCode.SUBSCRIPTION_NOT_LATEST)
  const { groups } = broker.state
  groups.setForbidden('CG', 'T', 2, true)
  assert.equal((await pull(peer, { topic: 'T', sysFlag: 0 })).extFields!.forbiddenType, '5')
  groups.setForbidden('CG', 'T', 2, false)
  groups.update({ ...groups.find('CG')!, consumeBroadcastEnable: false })
  await beat('BROADCASTING')
  assert.equal((await pull(peer, { topic: 'T', sysFlag: 0 })).extFields!.forbiddenType, '4')
})

test('lite pulls are served like others, unless switched off', async t => {
  const { broker, peer } = await start(t)
  await fill(peer, 'T', 1)
  const lite = { topic: 'T', sysFlag: 16 | subscription, code: RequestCode.LITE_PULL_MESSAGE }
  assert.equal((await pull(peer, lite)).code, 0)
  broker.options.litePullMessageEnable = false
  const answer = await pull(peer, lite)
  assert.deepEqual([answer.code, answer.extFields!.forbiddenType], [ResponseCode.NO_PERMISSION, '1'])
  assert.equal(answer.remark, 'the broker[127.0.0.1] for lite pull consumer is forbidden')
})

test('messages that have left memory are read from the files', async t => {
  const directory = (await import('../support/test-broker.js')).temporaryDirectory(t)
  const first = await startTestBroker(t, { storePathRootDir: directory })
  const writer = await Peer.connect(t, first.port)
  await fill(writer, 'T', 50)
  await first.close()
  const { peer } = await start(t, { storePathRootDir: directory })
  const answer = await pull(peer, { topic: 'T', offset: 10, maxCount: 5 })
  assert.deepEqual(bodies(answer), ['m10', 'm11', 'm12', 'm13', 'm14'])
  const held = pull(peer, { topic: 'T', offset: 50, sysFlag: suspend | subscription, suspendMs: 60_000 })
  await send(peer, { topic: 'T', body: Buffer.from('new') })
  assert.deepEqual(bodies(await held), ['new'])
})

test('a message goes to its light queues as well, which need no topic', async t => {
  const { broker, peer } = await start(t, {
    enableLmq: true,
    enableMultiDispatch: true,
    autoCreateSubscriptionGroup: false,
  })
  await fill(peer, 'T', 1)
  const properties = { INNER_MULTI_DISPATCH: '%LMQ%a,%LMQ%b' }
  await send(peer, { topic: 'T', body: Buffer.from('light'), properties })
  for (const topic of ['%LMQ%a', '%LMQ%b']) {
    const answer = await pull(peer, { topic, group: '%LMQ%g' })
    assert.deepEqual(bodies(answer), ['light'])
    const commit = { consumerGroup: '%LMQ%g', topic, queueId: '0', commitOffset: '1' }
    assert.equal((await peer.call(RequestCode.UPDATE_CONSUMER_OFFSET, commit)).code, 0)
    assert.equal(broker.state.offsets.query('%LMQ%g', topic, 0), 1)
  }
  const held = pull(peer, {
    topic: '%LMQ%a',
    group: '%LMQ%g',
    offset: 1,
    sysFlag: suspend | subscription,
    suspendMs: 60_000,
  })
  await send(peer, { topic: 'T', body: Buffer.from('more'), properties })
  assert.deepEqual(bodies(await held), ['more'])
})
