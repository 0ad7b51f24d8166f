import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Broker, BrokerOptions } from '@rocketmq-ts/broker'
import {
  decodeProperties,
  decodeStoredMessage,
  decodeStoredMessages,
  encodeProperties,
  javaHashCode,
  type StoredMessage,
} from '@rocketmq-ts/model'
import { type RemotingCommand, RequestCode, ResponseCode } from '@rocketmq-ts/protocol'
import { Peer, pull, send, startTestBroker } from '../support/test-broker.js'

async function start(t: TestContext, options: Partial<BrokerOptions> = {}) {
  const broker = await startTestBroker(t, options)
  return { broker, peer: await Peer.connect(t, broker.port) }
}

async function stored(broker: Broker, answer: RemotingCommand): Promise<StoredMessage> {
  const physicalOffset = Number(`0x${answer.extFields!.msgId!.slice(16)}`)
  const record = await broker.store.messageAt(physicalOffset)
  return decodeStoredMessage(record!, 0)
}

test('a message is stored as it was sent, and answered with its place', async t => {
  const { broker, peer } = await start(t)
  const properties = { KEYS: 'k1', TAGS: 'TagA', UNIQ_KEY: 'U1', WAIT: 'true', a: 'ä中' }
  const answer = await send(peer, { topic: 'T', queueId: 1, properties })
  assert.equal(answer.code, 0)
  assert.equal(answer.remark, undefined)
  const { msgId, ...fields } = answer.extFields!
  assert.deepEqual(fields, {
    queueId: '1',
    queueOffset: '0',
    transactionId: 'U1',
    MSG_REGION: 'DefaultRegion',
    TRACE_ON: 'true',
  })
  assert.match(msgId!, new RegExp(`^7F000001${broker.port.toString(16).toUpperCase().padStart(8, '0')}`))
  const message = await stored(broker, answer)
  assert.equal(message.topic, 'T')
  assert.equal(message.queueId, 1)
  assert.equal(message.flag, 7)
  assert.equal(message.bornTimestamp, 1_700_000_000_000)
  assert.equal(message.bornHost.port, peer.socket.localPort)
  assert.equal(message.storeHost.port, broker.port)
  assert.equal(message.body.toString(), 'hello')
  const added = { MSG_REGION: 'DefaultRegion', TRACE_ON: 'true', CLUSTER: 'DefaultCluster' }
  assert.deepEqual(Object.fromEntries(decodeProperties(message.propertiesText)), { ...properties, ...added })
})

test('the old form of the request, with full field names, does the same', async t => {
  const { broker, peer } = await start(t)
  const ext = {
    producerGroup: 'PG',
    topic: 'T',
    defaultTopic: 'TBW102',
    defaultTopicQueueNums: '4',
    queueId: '2',
    sysFlag: '0',
    bornTimestamp: '1',
    flag: '0',
    properties: 'UNIQ_KEY\u0001U\u0002',
    reconsumeTimes: '0',
    unitMode: 'false',
  }
  const answer = await peer.call(RequestCode.SEND_MESSAGE, ext, Buffer.from('x'))
  assert.equal(answer.code, 0)
  assert.equal((await stored(broker, answer)).queueId, 2)
})

test('a thousand sends in one piece get consecutive offsets, in order, each its own answer', async t => {
  const { peer } = await start(t)
  const { sendRequest } = await import('../support/test-broker.js')
  const requests = Array.from({ length: 1000 }, (_, i) => sendRequest({ topic: 'T', body: Buffer.from(String(i)) }))
  const answers = await Promise.all(peer.callMany(requests))
  assert.deepEqual(
    answers.map(answer => answer.extFields!.queueOffset),
    Array.from({ length: 1000 }, (_, i) => String(i)),
  )
})

test('a message without a unique key gets one', async t => {
  const { broker, peer } = await start(t)
  const answer = await send(peer, { topic: 'T' })
  const key = answer.extFields!.transactionId!
  assert.match(key, /^[0-9A-F]{32}$/)
  const properties = decodeProperties((await stored(broker, answer)).propertiesText)
  assert.equal(properties.get('UNIQ_KEY'), key)
})

test('a negative queue id means any writable queue', async t => {
  const { peer } = await start(t)
  const seen = new Set<string>()
  for (let i = 0; i < 60; i++) seen.add((await send(peer, { topic: 'T', queueId: -1 })).extFields!.queueId!)
  assert.deepEqual([...seen].sort(), ['0', '1', '2', '3'])
})

test('an unknown topic is created with the queues asked for, at most those of its default topic', async t => {
  const { broker, peer } = await start(t, { defaultTopicQueueCount: 6 })
  await send(peer, { topic: 'Small', queueCount: 3 })
  await send(peer, { topic: 'Big', queueCount: 20 })
  assert.equal(broker.state.topics.get('Small')!.writeQueueNums, 3)
  assert.equal(broker.state.topics.get('Big')!.writeQueueNums, 6)
  assert.equal(broker.state.topics.get('Big')!.perm, 6)
})

test('a topic that may not be created is answered with code 17 and what to do', async t => {
  const { peer } = await start(t, { autoCreateTopicEnable: false })
  const answer = await send(peer, { topic: 'T' })
  assert.equal(answer.code, ResponseCode.TOPIC_NOT_EXIST)
  const advice = 'See https://rocketmq.apache.org/docs/bestPractice/06FAQ for further details.'
  assert.equal(answer.remark, `topic[T] not exist, apply first please!\n${advice}`)
  assert.deepEqual(answer.extFields, { MSG_REGION: 'DefaultRegion', TRACE_ON: 'true' })
})

test('names outside the rules are refused, system topics too, TBW102 is not (case R51)', async t => {
  const { peer } = await start(t)
  const codeOf = async (topic: string) => (await send(peer, { topic })).code
  const illegal = ResponseCode.INVALID_PARAMETER
  assert.equal(await codeOf('x'.repeat(127)), 0)
  assert.equal(await codeOf('x'.repeat(128)), illegal)
  for (const topic of ['a.b', 'a b', '中', ' ']) assert.equal(await codeOf(topic), illegal, topic)
  for (const topic of ['a%b', 'a|b', 'TBW102', 'rmq_sys_x']) assert.equal(await codeOf(topic), 0, topic)
  for (const topic of ['SCHEDULE_TOPIC_XXXX', 'RMQ_SYS_TRANS_HALF_TOPIC', 'OFFSET_MOVED_EVENT']) {
    assert.equal(await codeOf(topic), ResponseCode.NO_PERMISSION, topic)
  }
})

test('a queue id beyond the queues is refused with a description of the topic', async t => {
  const { peer } = await start(t)
  await send(peer, { topic: 'T', queueCount: 2 })
  const answer = await send(peer, { topic: 'T', queueId: 2 })
  assert.equal(answer.code, ResponseCode.INVALID_PARAMETER)
  const topic =
    'TopicConfig [topicName=T, readQueueNums=2, writeQueueNums=2, perm=RW-, topicFilterType=SINGLE_TAG, ' +
    'topicSysFlag=0, order=false, attributes={}]'
  const producer = `127.0.0.1:${peer.socket.localPort}`
  assert.equal(answer.remark, `request queueId[2] is illegal, ${topic} Producer: ${producer}`)
})

test('bodies up to the limit are stored, larger ones and empty ones refused, and the connection goes on (case R48)', async t => {
  const { peer } = await start(t, { messageSizeMaxBytes: 4096 })
  const codeOf = async (body: Buffer) => (await send(peer, { topic: 'T', body })).code
  assert.equal(await codeOf(Buffer.alloc(4096, 1)), 0)
  assert.equal(await codeOf(Buffer.alloc(4097, 1)), ResponseCode.MESSAGE_ILLEGAL)
  assert.equal(await codeOf(Buffer.alloc(0)), ResponseCode.MESSAGE_ILLEGAL)
  const answer = await send(peer, { topic: 'T', body: Buffer.alloc(5000) })
  const remark =
    'the message is illegal, maybe msg body or properties length not matched. ' +
    'msg body length limit 4096B, msg properties length limit 32KB.'
  assert.equal(answer.remark, remark)
  assert.equal(await codeOf(Buffer.alloc(1)), 0)
})

test('properties may take 32,767 bytes in all, in characters of any width, and no byte more (case R46)', async t => {
  const { broker, peer } = await start(t)
  for (const character of ['a', 'ä', '中']) {
    const width = Buffer.byteLength(character)
    const suffix = encodeProperties({
      UNIQ_KEY: 'U',
      MSG_REGION: 'DefaultRegion',
      TRACE_ON: 'true',
      CLUSTER: 'DefaultCluster',
    })
    const room = 32_767 - Buffer.byteLength(suffix) - 3
    const count = Math.floor(room / width)
    const filler = 'b'.repeat(room - count * width)
    const fits = { UNIQ_KEY: 'U', x: character.repeat(count) + filler }
    const answer = await send(peer, { topic: 'T', properties: fits })
    assert.equal(answer.code, 0, character)
    const message = await stored(broker, answer)
    assert.equal(Buffer.byteLength(message.propertiesText), 32_767)
    const tooLong = await send(peer, { topic: 'T', properties: { ...fits, x: `${fits.x}b` } })
    assert.equal(tooLong.code, ResponseCode.MESSAGE_ILLEGAL, character)
  }
  assert.equal((await send(peer, { topic: 'T' })).extFields!.queueOffset, '3')
})

test('a oneway message is stored and not answered', async t => {
  const { broker, peer } = await start(t)
  const { sendRequest } = await import('../support/test-broker.js')
  const { code, ext, body } = sendRequest({ topic: 'T' })
  peer.sendOneway(code, ext, body)
  peer.sendOneway(code, { ...ext, b: 'a b' }, body)
  const answer = await send(peer, { topic: 'T' })
  assert.equal(answer.extFields!.queueOffset, '1')
  assert.equal(broker.store.maxOffset('T', 0), 2)
})

test('before the configured time nothing is accepted', async t => {
  const at = Date.now() + 3_600_000
  const { peer } = await start(t, { startAcceptSendRequestTimestampMs: at })
  const answer = await send(peer, { topic: 'T' })
  assert.equal(answer.code, ResponseCode.SYSTEM_ERROR)
  assert.match(answer.remark!, /^broker unable to service, until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}$/)
})

test('a header field that is missing or no number is named in the answer', async t => {
  const { peer } = await start(t)
  const { sendRequest } = await import('../support/test-broker.js')
  const { code, ext, body } = sendRequest({ topic: 'T' })
  const { e: _, ...withoutQueue } = ext
  const missing = await peer.call(code, withoutQueue, body)
  assert.equal(missing.code, ResponseCode.SYSTEM_ERROR)
  assert.match(missing.remark!, /SendMessageRequestHeaderV2\.e is missing/)
  const noNumber = await peer.call(code, { ...ext, f: 'abc' }, body)
  assert.match(noNumber.remark!, /SendMessageRequestHeaderV2\.f is no int32/)
})

test('delay levels go to their queue of the schedule topic, out of range ones as Java takes them (case R25)', async t => {
  const { broker, peer } = await start(t)
  const place = async (level: string) => {
    const answer = await send(peer, { topic: 'T', queueId: 3, properties: { DELAY: level } })
    if (answer.code !== 0) return answer
    assert.equal(answer.extFields!.queueId, '3')
    const { topic, queueId, propertiesText } = await stored(broker, answer)
    const properties = decodeProperties(propertiesText)
    return [topic, queueId, properties.get('DELAY'), properties.get('REAL_TOPIC'), properties.get('REAL_QID')]
  }
  assert.deepEqual(await place('-1'), ['T', 3, '-1', undefined, undefined])
  assert.deepEqual(await place('0'), ['T', 3, '0', undefined, undefined])
  assert.deepEqual(await place('1'), ['SCHEDULE_TOPIC_XXXX', 0, '1', 'T', '3'])
  assert.deepEqual(await place('18'), ['SCHEDULE_TOPIC_XXXX', 17, '18', 'T', '3'])
  assert.deepEqual(await place('19'), ['SCHEDULE_TOPIC_XXXX', 17, '18', 'T', '3'])
  assert.deepEqual(await place('100'), ['SCHEDULE_TOPIC_XXXX', 17, '18', 'T', '3'])
  for (const level of ['abc', '2147483648', '1.5']) {
    const answer = (await place(level)) as RemotingCommand
    assert.equal(answer.code, ResponseCode.MESSAGE_ILLEGAL)
    assert.match(answer.remark!, /DELAY/)
  }
  assert.equal(broker.store.maxOffset('T', 3), 2)
})

test('a half message waits in the half topic with its destination', async t => {
  const { broker, peer } = await start(t)
  const properties = { TRAN_MSG: 'true', PGROUP: 'PG', UNIQ_KEY: 'U1' }
  const answer = await send(peer, { topic: 'T', queueId: 2, sysFlag: 4, properties })
  assert.equal(answer.code, 0)
  assert.equal(answer.extFields!.queueId, '2')
  const message = await stored(broker, answer)
  assert.equal(message.topic, 'RMQ_SYS_TRANS_HALF_TOPIC')
  assert.equal(message.queueId, 0)
  assert.equal(message.sysFlag, 0)
  const stay = decodeProperties(message.propertiesText)
  assert.equal(stay.get('REAL_TOPIC'), 'T')
  assert.equal(stay.get('REAL_QID'), '2')
  assert.equal(stay.get('__transactionId__'), 'U1')
  assert.equal(broker.store.maxOffset('T', 2), 0)
})

test('a half message drops its delay, which would lose it (case R33)', async t => {
  const { broker, peer } = await start(t)
  const properties = { TRAN_MSG: 'true', DELAY: '1', TIMER_DELAY_SEC: '5' }
  const message = await stored(broker, await send(peer, { topic: 'T', sysFlag: 4, properties }))
  assert.equal(message.topic, 'RMQ_SYS_TRANS_HALF_TOPIC')
  const stay = decodeProperties(message.propertiesText)
  assert.equal(stay.get('REAL_TOPIC'), 'T')
  assert.equal(stay.has('DELAY'), false)
  assert.equal(stay.has('TIMER_DELAY_SEC'), false)
})

test('a broker that takes no transactions says so', async t => {
  const { peer } = await start(t, { rejectTransactionMessage: true })
  const answer = await send(peer, { topic: 'T', sysFlag: 4, properties: { TRAN_MSG: 'true' } })
  assert.equal(answer.code, ResponseCode.NO_PERMISSION)
  assert.equal(answer.remark, 'the broker[127.0.0.1] sending transaction message is forbidden')
})

test('a timer message is refused while there are no timers', async t => {
  const { peer } = await start(t)
  const answer = await send(peer, { topic: 'T', properties: { TIMER_DELAY_SEC: '5' } })
  assert.equal(answer.code, ResponseCode.SYSTEM_ERROR)
  assert.equal(answer.remark, 'accurate timer message is not enabled, timerWheelEnable is false')
})

test('a compaction topic wants keys', async t => {
  const { broker, peer } = await start(t)
  await send(peer, { topic: 'T' })
  const { attributes: _, ...config } = broker.state.topics.get('T')!
  broker.state.topics.update(
    { ...config, topicName: 'C', attributes: {} },
    new Map([['+cleanup.policy', 'COMPACTION']]),
  )
  const answer = await send(peer, { topic: 'C' })
  assert.equal(answer.code, ResponseCode.MESSAGE_ILLEGAL)
  assert.equal(answer.remark, 'Required message key is missing')
  assert.equal((await send(peer, { topic: 'C', properties: { KEYS: 'k' } })).code, 0)
})

test('a plain send over the retry limit goes to the dead letters instead of round and round (case R08)', async t => {
  const { broker, peer } = await start(t)
  const retry = { topic: '%RETRY%G1', properties: { DELAY: '3' } }
  const again = await stored(broker, await send(peer, { ...retry, reconsumeTimes: 16 }))
  assert.equal(again.topic, 'SCHEDULE_TOPIC_XXXX')
  const dead = await stored(broker, await send(peer, { ...retry, reconsumeTimes: 17 }))
  assert.equal(dead.topic, '%DLQ%G1')
  assert.equal(dead.reconsumeTimes, 17)
  assert.equal(decodeProperties(dead.propertiesText).get('DELAY'), '-1')
  const byHeader = await send(peer, { ...retry, reconsumeTimes: 3, maxReconsumeTimes: 2 })
  assert.equal((await stored(broker, byHeader)).topic, '%DLQ%G1')
  const oldClient = await send(peer, { ...retry, reconsumeTimes: 3, maxReconsumeTimes: 2, version: 120 })
  assert.equal((await stored(broker, oldClient)).topic, 'SCHEDULE_TOPIC_XXXX')
})

test('the retries of a group that holds queue locks are dead at once', async t => {
  const { broker, peer } = await start(t)
  broker.state.locks.lock('G1', [{ topic: 'T', brokerName: 'broker-a', queueId: 0 }], 'c1')
  const message = await stored(broker, await send(peer, { topic: '%RETRY%G1', reconsumeTimes: 1 }))
  assert.equal(message.topic, '%DLQ%G1')
})

test('tags become the code that consumers filter by', async t => {
  const { peer } = await start(t)
  await send(peer, { topic: 'T', properties: { TAGS: 'TagA' } })
  await send(peer, { topic: 'T', properties: { TAGS: 'TagB' } })
  const answer = await pull(peer, { topic: 'T', subscription: 'TagB' })
  const messages = decodeStoredMessages(answer.body!)
  assert.deepEqual(
    messages.map(message => javaHashCode(decodeProperties(message.propertiesText).get('TAGS')!)),
    [javaHashCode('TagB')],
  )
})
