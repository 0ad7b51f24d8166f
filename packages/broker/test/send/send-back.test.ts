import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { decodeProperties, decodeStoredMessages } from '@rocketmq-ts/model'
import { type RemotingCommand, RequestCode, ResponseCode } from '@rocketmq-ts/protocol'
import { Peer, pull, send, startTestBroker } from '../support/test-broker.js'

async function start(t: TestContext) {
  const broker = await startTestBroker(t)
  const peer = await Peer.connect(t, broker.port)
  const sent = await send(peer, { topic: 'T', properties: { KEYS: 'k', TAGS: 'TagA', UNIQ_KEY: 'U' } })
  const msgId = sent.extFields!.msgId!
  const back = (ext: Record<string, string> = {}): Promise<RemotingCommand> =>
    peer.call(RequestCode.CONSUMER_SEND_MSG_BACK, {
      offset: String(Number(`0x${msgId.slice(16)}`)),
      group: 'G1',
      delayLevel: '0',
      originTopic: 'T',
      maxReconsumeTimes: '16',
      ...ext,
    })
  const last = async (topic: string, queueId: number) => {
    const offset = broker.store.maxOffset(topic, queueId) - 1
    const answer = await pull(peer, { topic, queueId, offset })
    return decodeStoredMessages(answer.body!)[0]!
  }
  return { broker, peer, back, last, msgId }
}

test('a message sent back waits in the schedule topic for its retry topic, with its history', async t => {
  const { back, last, msgId } = await start(t)
  const answer = await back()
  assert.equal(answer.code, 0)
  const copy = await last('SCHEDULE_TOPIC_XXXX', 2)
  assert.equal(copy.reconsumeTimes, 1)
  assert.equal(copy.body.toString(), 'hello')
  assert.equal(copy.flag, 7)
  const { KEYS, TAGS, UNIQ_KEY, RETRY_TOPIC, ORIGIN_MESSAGE_ID, DELAY, REAL_TOPIC, REAL_QID, WAIT } =
    Object.fromEntries(decodeProperties(copy.propertiesText))
  assert.deepEqual({ KEYS, TAGS, UNIQ_KEY }, { KEYS: 'k', TAGS: 'TagA', UNIQ_KEY: 'U' })
  assert.deepEqual(
    { RETRY_TOPIC, ORIGIN_MESSAGE_ID, DELAY, REAL_TOPIC, REAL_QID, WAIT },
    { RETRY_TOPIC: 'T', ORIGIN_MESSAGE_ID: msgId, DELAY: '3', REAL_TOPIC: '%RETRY%G1', REAL_QID: '0', WAIT: 'false' },
  )
})

test('levels are taken as Java takes them: 3 stays, 25 is the last, -1 is a dead letter (case R08)', async t => {
  const { broker, back, last } = await start(t)
  await back({ delayLevel: '3' })
  assert.equal(broker.store.maxOffset('SCHEDULE_TOPIC_XXXX', 2), 1)
  await back({ delayLevel: '25' })
  assert.equal(broker.store.maxOffset('SCHEDULE_TOPIC_XXXX', 17), 1)
  assert.equal((await back({ delayLevel: '-1' })).code, 0)
  const dead = await last('%DLQ%G1', 0)
  assert.equal(decodeProperties(dead.propertiesText).get('DELAY'), '0')
  assert.equal(decodeProperties(dead.propertiesText).get('RETRY_TOPIC'), 'T')
  const dlq = broker.state.topics.get('%DLQ%G1')!
  assert.deepEqual([dlq.readQueueNums, dlq.writeQueueNums, dlq.perm], [1, 1, 6])
})

test('no attempts left means dead letters at once (case R08)', async t => {
  const { broker, back } = await start(t)
  await back({ maxReconsumeTimes: '0' })
  assert.equal(broker.store.maxOffset('%DLQ%G1', 0), 1)
})

test('an unknown message, an unwanted group and a group without retries each get their answer', async t => {
  const { broker, back } = await start(t)
  const gone = await back({ offset: '99999999' })
  assert.equal(gone.code, ResponseCode.SYSTEM_ERROR)
  assert.equal(gone.remark, 'look message by offset failed, 99999999')
  broker.state.groups.update({ ...broker.state.groups.find('G1')!, retryQueueNums: 0 })
  assert.equal((await back()).code, 0)
  assert.equal(broker.store.maxOffset('SCHEDULE_TOPIC_XXXX', 2), 0)
  broker.options.autoCreateSubscriptionGroup = false
  const unknown = await back({ group: 'nobody' })
  assert.equal(unknown.code, ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST)
  assert.match(unknown.remark!, /^subscription group not exist, nobody \nSee /)
})

test('a retry topic that may not be written to refuses', async t => {
  const { broker, back } = await start(t)
  await back()
  broker.state.topics.update({ ...broker.state.topics.get('%RETRY%G1')!, perm: 4 }, new Map())
  const answer = await back()
  assert.equal(answer.code, ResponseCode.NO_PERMISSION)
  assert.equal(answer.remark, 'the topic[%RETRY%G1] sending message is forbidden')
})
