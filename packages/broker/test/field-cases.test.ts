import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { decodeStoredMessages } from '@rocketmq-ts/model'
import { decodeFrame, type RemotingCommand, RequestCode, ResponseCode } from '@rocketmq-ts/protocol'
import { FrameDecoder } from '@rocketmq-ts/remoting'
import { Peer, pull, send, startTestBroker } from './support/test-broker.js'

async function start(t: TestContext, options = {}) {
  const broker = await startTestBroker(t, options)
  return { broker, peer: await Peer.connect(t, broker.port) }
}

function bodiesOf(answer: RemotingCommand): string[] {
  return answer.body === undefined ? [] : decodeStoredMessages(answer.body).map(message => message.body.toString())
}

test('each of several keys finds the message, a text with blanks and an empty one do not (case R57)', async t => {
  const { peer } = await start(t)
  await send(peer, { topic: 'T', properties: { KEYS: 'k1 k2  k3', UNIQ_KEY: 'U' } })
  const query = (fields: Record<string, string>) => peer.call(RequestCode.QUERY_MESSAGE, { topic: 'T', ...fields })
  const anyTime = { maxNum: '10', beginTimestamp: '0', endTimestamp: '9223372036854775807' }
  for (const key of ['k1', 'k2', 'k3']) assert.deepEqual(bodiesOf(await query({ key, ...anyTime })), ['hello'], key)
  for (const key of ['k1 k2  k3', '', ' ', 'k']) {
    assert.equal((await query({ key, ...anyTime })).code, ResponseCode.QUERY_NOT_FOUND, JSON.stringify(key))
  }
  const misnamed = await query({ key: 'k1', maxNum: '10', begin: '0', end: '9' })
  assert.equal(misnamed.code, ResponseCode.SYSTEM_ERROR)
  assert.match(misnamed.remark!, /beginTimestamp/)
})

test('a deleted topic is gone with its offsets, and one made anew starts at 0 (case R65)', async t => {
  const { peer } = await start(t)
  const offset = { consumerGroup: 'G', topic: 'T', queueId: '0' }
  const query = () => peer.call(RequestCode.QUERY_CONSUMER_OFFSET, offset)
  const maxOffset = async () =>
    Number((await peer.call(RequestCode.GET_MAX_OFFSET, { topic: 'T', queueId: '0' })).extFields!.offset)
  const remove = async (topic: string) => (await peer.call(RequestCode.DELETE_TOPIC_IN_BROKER, { topic })).code
  for (let i = 0; i < 2; i++) await send(peer, { topic: 'T' })
  assert.equal((await pull(peer, { topic: 'T', group: 'G' })).code, 0)
  await peer.call(RequestCode.UPDATE_CONSUMER_OFFSET, { ...offset, commitOffset: '2' })
  assert.equal((await query()).extFields!.offset, '2')

  assert.equal(await remove('T'), 0)
  assert.equal((await query()).code, ResponseCode.QUERY_NOT_FOUND)
  assert.equal((await pull(peer, { topic: 'T', group: 'G' })).code, ResponseCode.TOPIC_NOT_EXIST)
  assert.equal(await maxOffset(), 0)

  await send(peer, { topic: 'T', body: Buffer.from('new') })
  assert.equal(await maxOffset(), 1)
  assert.deepEqual([(await query()).code, (await query()).extFields!.offset], [0, '0'])
  assert.deepEqual(bodiesOf(await pull(peer, { topic: 'T', group: 'G' })), ['new'])
  assert.deepEqual([await remove('TBW102'), await remove(''), await remove('nobody knows')], [29, 29, 0])
})

test('queues taken away and given back have kept their messages; odd numbers of queues are taken (case R18)', async t => {
  const { peer } = await start(t)
  const update = async (topic: string, readQueueNums: number, writeQueueNums: number) => {
    const fields = { topic, defaultTopic: 'TBW102', perm: '6', topicFilterType: 'SINGLE_TAG', topicSysFlag: '0' }
    const queues = { readQueueNums: String(readQueueNums), writeQueueNums: String(writeQueueNums) }
    return (await peer.call(RequestCode.UPDATE_AND_CREATE_TOPIC, { ...fields, ...queues, order: 'false' })).code
  }
  assert.equal(await update('T', 4, 4), 0)
  for (let i = 0; i < 40; i++) await send(peer, { topic: 'T', queueId: i % 4, body: Buffer.from(`m${i}`) })
  assert.equal(await update('T', 2, 2), 0)
  assert.equal((await send(peer, { topic: 'T', queueId: 3 })).code, ResponseCode.INVALID_PARAMETER)
  assert.equal((await pull(peer, { topic: 'T', queueId: 3 })).code, ResponseCode.INVALID_PARAMETER)
  assert.equal(await update('T', 4, 2), 0)
  const bodies: string[] = []
  for (let queueId = 0; queueId < 4; queueId++) bodies.push(...bodiesOf(await pull(peer, { topic: 'T', queueId })))
  assert.equal(new Set(bodies).size, 40)
  assert.deepEqual([await update('T2-4', 2, 4), await update('T4-2', 4, 2), await update('T0-0', 0, 0)], [0, 0, 0])
  // Java takes it, and its clients then fail on the route.
  assert.equal(await update('T-1-4', -1, 4), ResponseCode.INVALID_PARAMETER)
})

test('a group is told to read elsewhere when the broker may say so, and when it is far behind (suggestWhichBrokerId)', async t => {
  const { broker, peer } = await start(t, { slaveReadEnable: true })
  for (let i = 0; i < 3; i++) await send(peer, { topic: 'T' })
  const group = { groupName: 'G', brokerId: 3, whichBrokerWhenConsumeSlowly: 7, consumeEnable: true, retryMaxTimes: 16 }
  const body = Buffer.from(JSON.stringify(group))
  assert.equal((await peer.call(RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP, {}, body)).code, 0)
  const suggested = async () => (await pull(peer, { topic: 'T', group: 'G' })).extFields!.suggestWhichBrokerId
  assert.equal(await suggested(), '3', 'the broker of the group')
  broker.options.accessMessageInMemoryMaxPercent = 0
  assert.equal(await suggested(), '7', 'the broker for those far behind')
  broker.options.slaveReadEnable = false
  assert.equal(await suggested(), '0', 'the master')
})

test('a peer over IPv4 is stored as one by a broker that listens on all addresses (case R103)', async t => {
  const { peer } = await start(t, { bindAddress: '0.0.0.0' })
  await send(peer, { topic: 'T' })
  const [message] = decodeStoredMessages((await pull(peer, { topic: 'T' })).body!)
  assert.deepEqual([...message!.bornHost.address], [127, 0, 0, 1])
  assert.equal(message!.bornHost.port, peer.socket.localPort)
})

/** A frame with the header text as it stands. */
function frameOf(header: string): Buffer {
  const bytes = Buffer.from(header)
  const frame = Buffer.alloc(8 + bytes.length)
  frame.writeInt32BE(4 + bytes.length, 0)
  frame.writeInt32BE(bytes.length, 4)
  bytes.copy(frame, 8)
  return frame
}

/** A connection for raw frames; what comes back in order, then undefined when it is closed. */
async function rawConnection(t: TestContext, port: number) {
  const socket = connect({ port, host: '127.0.0.1' })
  t.after(() => socket.destroy())
  const decoder = new FrameDecoder()
  const answers: RemotingCommand[] = []
  let wake = () => {}
  let isClosed = false
  socket.on('data', chunk => {
    decoder.push(chunk)
    while (decoder.next()) {
      const command = decodeFrame(decoder.bytes, decoder.start, decoder.end)
      void command.extFields
      answers.push(command)
    }
    wake()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    isClosed = true
    wake()
  })
  return {
    send: (header: string) => socket.write(frameOf(header)),
    async next(): Promise<RemotingCommand | undefined> {
      while (answers.length === 0 && !isClosed) {
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
      return answers.shift()
    },
  }
}

test('headers as other clients write them are understood, and cut ones end the connection (case R83)', async t => {
  const { broker, peer } = await start(t)
  await send(peer, { topic: 'T1' })
  const raw = await rawConnection(t, broker.port)
  const wellMeant = [
    '{"code":30,"version":121,"language":"JAVA","opaque":OPAQUE,"flag":0,"extFields":{"topic":"T1","queueId":0}}',
    '{"code":30,"version":121,"opaque":OPAQUE,"flag":0,"extFields":{"topic":"T1","queueId":"0"}}',
    '{"code":30,"version":121,"language":"NODEJS","opaque":OPAQUE,"flag":0,"extFields":{"topic":"T1","queueId":"0"}}',
    '{"code":30,"version":121,"language":"go","opaque":OPAQUE,"flag":0,"extFields":{"topic":"T1","queueId":"0"}}',
    "{code:30,'version':121,language:'GO',opaque:OPAQUE,flag:0,other:[1],extFields:{topic:'T1','queueId':0}}",
  ]
  let opaque = 0
  for (const header of wellMeant) {
    raw.send(header.replace('OPAQUE', String(++opaque)))
    const answer = await raw.next()
    assert.deepEqual([answer?.code, answer?.opaque, answer?.extFields?.offset], [0, opaque, '1'], header)
  }
  raw.send('{"code":30,"version":121,"language":"JAVA","opaque":-7,"flag":0,"extFields":null}')
  const nothing = await raw.next()
  assert.deepEqual([nothing?.code, nothing?.opaque], [ResponseCode.SYSTEM_ERROR, -7])
  // Oneway: the next answer is that to the next request.
  raw.send('{"code":30,"version":121,"opaque":100,"flag":2,"extFields":{"topic":"T1","queueId":"0"}}')
  raw.send('{"code":99999,"version":121,"opaque":101,"flag":0,"extFields":{}}')
  const unknown = await raw.next()
  assert.deepEqual([unknown?.code, unknown?.opaque], [ResponseCode.REQUEST_CODE_NOT_SUPPORTED, 101])
  assert.equal(unknown?.remark, ' request type 99999 not supported')
  raw.send('{"code":30,"version":121,"opaque":102,"extFie')
  assert.equal(await raw.next(), undefined)
  assert.equal((await send(peer, { topic: 'T1' })).code, 0, 'others are served')
})
