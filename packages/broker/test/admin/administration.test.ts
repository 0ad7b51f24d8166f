import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createBrokerOptions } from '@rocketmq-ts/broker'
import { decodeStoredMessages } from '@rocketmq-ts/model'
import {
  brokerStatsData,
  consumeStats,
  kvTable,
  queryConsumeQueueResponseBody,
  type RemotingCommand,
  RequestCode,
  topicStatsTable,
} from '@rocketmq-ts/protocol'
import { BackedUpFile, realDisk, silentLogger, systemClock } from '@rocketmq-ts/runtime'
import { BrokerConfiguration } from '../../dist/options/configuration.js'
import {
  type Peer,
  Peer as PeerClass,
  pull,
  send,
  startTestBroker,
  temporaryDirectory,
} from '../support/test-broker.js'

const createTopic = (topic: string, queues: number): Record<string, string> => ({
  topic,
  defaultTopic: 'TBW102',
  readQueueNums: String(queues),
  writeQueueNums: String(queues),
  perm: '6',
  topicFilterType: 'SINGLE_TAG',
})

async function ok(answer: Promise<RemotingCommand>): Promise<RemotingCommand> {
  const response = await answer
  assert.equal(response.code, 0, response.remark)
  return response
}

async function runtimeInfoOf(peer: Peer): Promise<ReadonlyMap<string, string>> {
  return kvTable.decode((await ok(peer.call(RequestCode.GET_BROKER_RUNTIME_INFO, {}))).body!).table
}

test('a created topic is on disk when its creation is answered, and a deleted one is gone with its queues', async t => {
  const directory = temporaryDirectory(t)
  const broker = await startTestBroker(t, { storePathRootDir: directory })
  const peer = await PeerClass.connect(t, broker.port)
  await ok(peer.call(RequestCode.UPDATE_AND_CREATE_TOPIC, createTopic('T', 3)))
  assert.match(readFileSync(join(directory, 'config/topics.json'), 'utf8'), /"T":\{/)
  await ok(send(peer, { topic: 'T' }))
  await ok(peer.call(RequestCode.DELETE_TOPIC_IN_BROKER, { topic: 'T' }))
  assert.doesNotMatch(readFileSync(join(directory, 'config/topics.json'), 'utf8'), /"T":\{/)
  assert.equal(broker.store.topics().has('T'), false)
  assert.equal((await peer.call(RequestCode.GET_TOPIC_STATS_INFO, { topic: 'T' })).code, 17)
})

test('a stored message is found by its offset, and through the consume queue', async t => {
  const broker = await startTestBroker(t)
  const peer = await PeerClass.connect(t, broker.port)
  await ok(peer.call(RequestCode.UPDATE_AND_CREATE_TOPIC, createTopic('T', 1)))
  for (const body of ['first', 'second']) await ok(send(peer, { topic: 'T', queueId: 0, body: Buffer.from(body) }))
  const queue = await ok(
    peer.call(RequestCode.QUERY_CONSUME_QUEUE, { topic: 'T', queueId: '0', index: '0', count: '9' }),
  )
  const { queueData, maxQueueIndex } = queryConsumeQueueResponseBody.decode(queue.body!)
  assert.equal(maxQueueIndex, 2)
  assert.equal(queueData?.length, 2)
  const offset = String(queueData![1]!.physicOffset)
  const found = await ok(peer.call(RequestCode.VIEW_MESSAGE_BY_ID, { offset }))
  assert.equal(decodeStoredMessages(found.body!)[0]!.body.toString(), 'second')
  for (const missing of ['99999999', '-1', '7']) {
    assert.equal((await peer.call(RequestCode.VIEW_MESSAGE_BY_ID, { offset: missing })).code, 1, missing)
  }
})

test('statistics, progress and run-time information tell what was sent and pulled', async t => {
  const broker = await startTestBroker(t)
  const peer = await PeerClass.connect(t, broker.port)
  await ok(peer.call(RequestCode.UPDATE_AND_CREATE_TOPIC, createTopic('T', 2)))
  for (let index = 0; index < 3; index++) await ok(send(peer, { topic: 'T', queueId: 0 }))
  await ok(pull(peer, { topic: 'T', group: 'G' }))
  broker.state.offsets.commit('G', 'T', 0, 2)
  broker.state.stats.sampleWindow(0)

  const minute = async (statsName: string, statsKey: string) => {
    const { body } = await ok(peer.call(RequestCode.VIEW_BROKER_STATS_DATA, { statsName, statsKey }))
    return brokerStatsData.decode(body!).statsMinute.sum
  }
  assert.equal(await minute('TOPIC_PUT_NUMS', 'T'), 3)
  assert.equal(await minute('GROUP_GET_NUMS', 'T@G'), 3)
  assert.equal(await minute('BROKER_PUT_NUMS', 'DefaultCluster'), 3)

  const status = topicStatsTable.decode((await ok(peer.call(RequestCode.GET_TOPIC_STATS_INFO, { topic: 'T' }))).body!)
  assert.deepEqual(
    Array.from(status.offsetTable, ([queue, bounds]) => [queue.queueId, bounds.minOffset, bounds.maxOffset]),
    [
      [0, 0, 3],
      [1, 0, 0],
    ],
  )
  const progress = consumeStats.decode(
    (await ok(peer.call(RequestCode.GET_CONSUME_STATS, { consumerGroup: 'G' }))).body!,
  )
  const first = [...progress.offsetTable].find(([queue]) => queue.queueId === 0)![1]
  assert.deepEqual([first.brokerOffset, first.consumerOffset, first.pullOffset], [3, 2, 3])
  assert.ok(first.lastTimestamp > 0)

  const info = await runtimeInfoOf(peer)
  assert.equal(info.get('putMessageTimesTotal'), '3')
  assert.equal(info.get('msgPutTotalTodayNow'), '3')
  assert.equal(info.get('brokerVersionDesc'), 'V5_3_3')
  assert.equal(info.get('brokerActive'), 'true')
  assert.equal(info.get('commitLogMaxOffset'), String(broker.store.watermarks.written))
  assert.match(info.get('commitLogDirCapacity') ?? '', /^Total : [\d.]+ [KMGT]iB, Free : [\d.]+ [KMGT]iB\.$/)
})

test('run-time information has the keys of the Java broker, but for those of delay levels in use', async t => {
  const broker = await startTestBroker(t)
  const peer = await PeerClass.connect(t, broker.port)
  const text = readFileSync(new URL('../../test/golden/brokerStatus.txt', import.meta.url), 'utf8')
  const java = [...text.matchAll(/^(\w[^ :]*) *: /gm)]
    .map(match => match[1]!)
    .filter(key => !/^(scheduleMessage|commitLogDiskRatio_)/.test(key))
  const ours = [...(await runtimeInfoOf(peer)).keys()].filter(key => !key.startsWith('commitLogDiskRatio_'))
  assert.deepEqual(ours.sort(), java.sort())
})

test('a setting changed at run time takes effect at once and is in the file at the next start', async t => {
  const directory = temporaryDirectory(t)
  const path = join(directory, 'broker.conf')
  const options = createBrokerOptions({
    storePathRootDir: join(directory, 'store'),
    ...{ listenPort: 0, bindAddress: '127.0.0.1', brokerIp1: '127.0.0.1', brokerName: 'broker-a' },
    ...{ commitLogFileSizeBytes: 1 << 20, indexHashSlotCount: 100, indexEntryCount: 400 },
  })
  const file = new BackedUpFile(realDisk, path)
  const configuration = new BrokerConfiguration({ options, file, clock: systemClock, logger: silentLogger })
  const broker = await startTestBroker(t, {}, { options, configuration })
  const peer = await PeerClass.connect(t, broker.port)
  await ok(send(peer, { topic: 'T', body: Buffer.alloc(100) }))
  await ok(
    peer.call(RequestCode.UPDATE_BROKER_CONFIG, {}, Buffer.from('maxMessageSize=50\nautoCreateTopicEnable=false')),
  )
  assert.equal((await send(peer, { topic: 'T', body: Buffer.alloc(100) })).code, 13)
  assert.equal((await send(peer, { topic: 'New' })).code, 17)
  const shown = (await ok(peer.call(RequestCode.GET_BROKER_CONFIG, {}))).body!.toString()
  assert.match(shown, /^maxMessageSize=50$/m)
  assert.match(shown, new RegExp(`^listenPort=${broker.port}$`, 'm'))
  assert.match(shown, new RegExp(`^haListenPort=${broker.port + 1}$`, 'm'))
  const kept = readFileSync(path, 'utf8')
  assert.match(kept, /^maxMessageSize=50$/m)
  assert.match(kept, /^listenPort=0$/m)
})

test('bodies that are no JSON, and headers without their fields, are errors that the broker survives', async t => {
  const broker = await startTestBroker(t)
  const peer = await PeerClass.connect(t, broker.port)
  const codes = [
    17, 18, 21, 22, 25, 26, 28, 33, 12, 200, 201, 202, 203, 204, 207, 208, 215, 222, 223, 225, 300, 303, 305,
  ]
  codes.push(
    306,
    307,
    308,
    309,
    314,
    315,
    316,
    317,
    321,
    328,
    329,
    343,
    345,
    351,
    352,
    353,
    401,
    402,
    513,
    905,
    906,
    907,
    1007,
  )
  for (const code of codes) {
    for (const body of [undefined, Buffer.from('{"a":'), Buffer.from([0xff, 0xfe, 0])]) await peer.call(code, {}, body)
  }
  await ok(send(peer, { topic: 'T' }))
})
