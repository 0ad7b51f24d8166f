import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProducer } from '@rocketmq-ts/client'
import { decodeProperties, encodeProperties, encodeStoredMessage, magicV1, parseHost } from '@rocketmq-ts/model'
import { RequestCode, requestCommand } from '@rocketmq-ts/protocol'
import { messagesOfRecords } from '../../dist/consume/records.js'
import { type FakeCluster, type ReceivedSend, rejectionOf, startFakeCluster } from '../support/fake-cluster.ts'

/** Brings a reply as a broker does. */
async function pushReply(cluster: FakeCluster, correlationId: string, body: string): Promise<number> {
  const [connection] = cluster.brokers[0]!.server.connections
  const ext = {
    producerGroup: 'g',
    topic: 'DefaultCluster_REPLY_TOPIC',
    defaultTopic: 'TBW102',
    defaultTopicQueueNums: '4',
    queueId: '0',
    sysFlag: '0',
    bornTimestamp: '123',
    flag: '0',
    bornHost: '10.0.0.9:1',
    storeHost: '10.0.0.8:1',
    properties: encodeProperties({ CORRELATION_ID: correlationId, mine: 'yes' }),
  }
  const answer = await connection!.call(
    requestCommand(RequestCode.PUSH_REPLY_MESSAGE_TO_CLIENT, ext, Buffer.from(body)),
    5000,
  )
  return answer.code
}
const propertiesOf = (send: ReceivedSend) => decodeProperties(send.header.properties as string)

test('a request announces the client first, and resolves with the reply that carries its id', async () => {
  await using cluster = await startFakeCluster(1)
  const broker = cluster.brokers[0]!
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  const replied = producer.request({ topic: 'T', body: 'question', tags: 'a' }, { timeoutMs: 10_000 })
  await broker.seen('sends', 1)
  assert.ok(broker.heartbeats.some(beat => beat.clientID === producer.clientId))
  const properties = propertiesOf(broker.sends[0]!)
  assert.equal(properties.get('REPLY_TO_CLIENT'), producer.clientId)
  assert.equal(properties.get('TTL'), '10000')
  assert.equal(await pushReply(cluster, 'nobody asked', 'lost'), 0)
  assert.equal(await pushReply(cluster, properties.get('CORRELATION_ID')!, 'answer'), 0)
  const reply = await replied
  assert.equal(reply.body.toString(), 'answer')
  assert.equal(reply.properties.get('mine'), 'yes')
  assert.equal(reply.bornHost, '10.0.0.9:1')
})

test('without a reply the request times out, is aborted, or ends with the producer', async () => {
  await using cluster = await startFakeCluster(1)
  const producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g' })
  const late = await rejectionOf(producer.request({ topic: 'T', body: 'x' }, { timeoutMs: 30 }))
  assert.equal(late.code, 'REQUEST_TIMEOUT')
  const controller = new AbortController()
  const aborted = rejectionOf(
    producer.request({ topic: 'T', body: 'x' }, { timeoutMs: 10_000, signal: controller.signal }),
  )
  await cluster.brokers[0]!.seen('sends', 2)
  controller.abort()
  assert.equal((await aborted).code, 'ABORTED')
  const closed = rejectionOf(producer.request({ topic: 'T', body: 'x' }, { timeoutMs: 10_000 }))
  await cluster.brokers[0]!.seen('sends', 3)
  await producer.close()
  assert.equal((await closed).code, 'INVALID_STATE')
})

test('a reply goes to the reply topic of the cluster with the ids of the request', async () => {
  await using cluster = await startFakeCluster(1)
  cluster.nameServer.routes.set('DefaultCluster_REPLY_TOPIC', [cluster.brokers[0]!.route])
  await using producer = await createProducer({ nameServers: cluster.nameServer.address, group: 'g', namespace: 'NS' })
  const record = (properties: Record<string, string>) =>
    encodeStoredMessage({
      magic: magicV1,
      bodyCrc: 0,
      queueId: 0,
      flag: 0,
      queueOffset: 0,
      physicalOffset: 0,
      sysFlag: 0,
      bornTimestamp: 1,
      bornHost: parseHost('127.0.0.1:1'),
      storeTimestamp: 2,
      storeHost: parseHost('127.0.0.1:2'),
      reconsumeTimes: 0,
      preparedTransactionOffset: 0,
      body: Buffer.from('question'),
      topic: 'T',
      propertiesText: encodeProperties(properties),
    })
  const ids = { CLUSTER: 'DefaultCluster', CORRELATION_ID: 'c1', REPLY_TO_CLIENT: 'them', TTL: '77' }
  const [request] = messagesOfRecords(record(ids), 'b0', 'NS')
  assert.equal((await producer.reply(request!, 'answer')).status, 'SEND_OK')
  const [send] = cluster.brokers[0]!.sends
  assert.equal(send!.command.code, RequestCode.SEND_REPLY_MESSAGE_V2)
  assert.equal(send!.header.topic, 'DefaultCluster_REPLY_TOPIC')
  const { UNIQ_KEY, ...properties } = Object.fromEntries(propertiesOf(send!))
  assert.equal(UNIQ_KEY?.length, 32)
  const { CLUSTER, ...carried } = ids
  assert.equal(CLUSTER, 'DefaultCluster')
  assert.deepEqual(properties, { ...carried, MSG_TYPE: 'reply', WAIT: 'true', INSTANCE_ID: 'NS' })
  const [plain] = messagesOfRecords(record({}), 'b0', '')
  assert.equal((await rejectionOf(producer.reply(plain!, 'answer'))).code, 'INVALID_ARGUMENT')
})
