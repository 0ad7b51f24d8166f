import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeProperties, decodeStoredMessages, replyTopic } from '@rocketmq-ts/model'
import {
  CURRENT_VERSION,
  commandFlag,
  decodeHeader,
  encodeFrame,
  pushReplyMessageToClient,
  RequestCode,
  responseCommand,
} from '@rocketmq-ts/protocol'
import { Peer, pull, sendRequest, startTestBroker } from '../support/test-broker.js'

const topic = replyTopic('DefaultCluster')

function reply(requester: string | undefined, sysFlag = 0) {
  const properties: Record<string, string> = { MSG_TYPE: 'reply', CORRELATION_ID: 'c-1', TTL: '3000' }
  if (requester !== undefined) properties.REPLY_TO_CLIENT = requester
  const request = sendRequest({ topic, body: Buffer.from('the reply'), properties, sysFlag })
  return { ...request, code: RequestCode.SEND_REPLY_MESSAGE_V2 }
}

async function online(peer: Peer, clientID: string): Promise<void> {
  const heartbeat = { clientID, producerDataSet: [{ groupName: 'asking' }], consumerDataSet: [] }
  await peer.call(RequestCode.HEART_BEAT, {}, Buffer.from(JSON.stringify(heartbeat)))
}

/** Answers what the broker has pushed. */
function accept(peer: Peer, code = 0): void {
  const answer = responseCommand(peer.pushed.at(-1)!, code)
  assert.equal(answer.flag, commandFlag.response)
  peer.socket.write(encodeFrame(answer))
}

test('a reply is handed to the client that asked, stored, and answered when both are done', async t => {
  const broker = await startTestBroker(t)
  const [asking, replying] = [await Peer.connect(t, broker.port), await Peer.connect(t, broker.port)]
  await online(asking, 'client-1')
  const answering = replying.callMany([reply('client-1', 1)])[0]!
  await asking.received(1)
  const push = asking.pushed[0]!
  assert.equal(push.code, RequestCode.PUSH_REPLY_MESSAGE_TO_CLIENT)
  assert.equal(push.body!.toString(), 'the reply')
  const header = decodeHeader(pushReplyMessageToClient.request, push.extFields)
  assert.deepEqual([header.topic, header.sysFlag, header.storeHost], [topic, 1, broker.address])
  assert.match(header.bornHost, /^127\.0\.0\.1:\d+$/)
  const properties = decodeProperties(header.properties!)
  assert.deepEqual([properties.get('CORRELATION_ID'), properties.get('MSG_REGION')], ['c-1', 'DefaultRegion'])
  assert.ok(Number(properties.get('PUSH_REPLY_TIME')) > 1_700_000_000_000)
  accept(asking)
  const answer = await answering
  assert.deepEqual([answer.code, answer.extFields!.queueOffset], [0, '0'])
  assert.match(answer.extFields!.msgId!, /^[0-9A-F]{32}$/)
  const pulled = await pull(replying, { topic })
  const [message] = decodeStoredMessages(pulled.body!)
  assert.deepEqual([message!.body.toString(), message!.sysFlag], ['the reply', 1])
  const stored = decodeProperties(message!.propertiesText)
  assert.deepEqual([stored.get('REPLY_TO_CLIENT'), stored.has('PUSH_REPLY_TIME')], ['client-1', false])
})

test('the replier hears when nobody has the reply', async t => {
  const broker = await startTestBroker(t)
  const [asking, replying] = [await Peer.connect(t, broker.port), await Peer.connect(t, broker.port)]
  const send = (requester: string | undefined) => replying.callMany([reply(requester)])[0]!
  const remarkOf = async (requester: string | undefined) => {
    const { code, remark } = await send(requester)
    return [code, remark]
  }
  assert.deepEqual(await remarkOf('gone'), [1, 'push reply message fail, channel of <gone> not found.'])
  assert.deepEqual(await remarkOf(undefined), [1, 'reply message properties[REPLY_TO_CLIENT] is null'])
  await online(asking, 'client-1')
  const refusing = send('client-1')
  await asking.received(1)
  accept(asking, 1)
  assert.deepEqual([(await refusing).code, (await refusing).remark], [1, 'push reply message to client-1fail.'])
  const closing = send('client-1')
  await asking.received(2)
  asking.close()
  assert.equal((await closing).code, 1)
  assert.equal(broker.store.maxOffset(topic, 0), 4, 'they are stored all the same')
})

test('replies are not stored when that is switched off, and not taken for a topic that is refused', async t => {
  const broker = await startTestBroker(t, { storeReplyMessageEnable: false })
  const [asking, replying] = [await Peer.connect(t, broker.port), await Peer.connect(t, broker.port)]
  await online(asking, 'client-1')
  const answering = replying.callMany([reply('client-1')])[0]!
  await asking.received(1)
  accept(asking)
  const answer = await answering
  assert.deepEqual([answer.code, answer.extFields!.msgId, answer.extFields!.queueOffset], [0, '0', '0'])
  assert.equal(broker.store.maxOffset(topic, 0), 0)
  const wrong = reply('client-1')
  const refused = await replying.call(wrong.code, { ...wrong.ext, b: 'SELF_TEST_TOPIC' }, wrong.body, CURRENT_VERSION)
  assert.equal(refused.code, 16)
})
