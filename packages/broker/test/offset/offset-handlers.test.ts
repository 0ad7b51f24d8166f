import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { BrokerOptions } from '@rocketmq-ts/broker'
import { RequestCode, ResponseCode } from '@rocketmq-ts/protocol'
import { Peer, pull, send, startTestBroker, temporaryDirectory } from '../support/test-broker.js'

async function start(t: TestContext, options: Partial<BrokerOptions> = {}) {
  const broker = await startTestBroker(t, options)
  return { broker, peer: await Peer.connect(t, broker.port) }
}

const where = { consumerGroup: 'CG', topic: 'T', queueId: '0' }

function query(peer: Peer, ext: Record<string, string> = {}) {
  return peer.call(RequestCode.QUERY_CONSUMER_OFFSET, { ...where, ...ext })
}

function update(peer: Peer, offset: number, ext: Record<string, string> = {}) {
  return peer.call(RequestCode.UPDATE_CONSUMER_OFFSET, { ...where, commitOffset: String(offset), ...ext })
}

test('a new group on a young topic starts at 0 unless it asks not to (case R03)', async t => {
  const { peer } = await start(t)
  await send(peer, { topic: 'T' })
  const plain = await query(peer)
  assert.deepEqual([plain.code, plain.extFields!.offset], [0, '0'])
  const notFound = await query(peer, { setZeroIfNotFound: 'false' })
  assert.deepEqual(
    [notFound.code, notFound.remark],
    [ResponseCode.QUERY_NOT_FOUND, 'Not found, do not set to zero, maybe this group boot first'],
  )
  for (const ext of [{ queueId: '77' }, { topic: 'unknown' }, { queueId: '1' }]) {
    const answer = await query(peer, ext)
    assert.equal(answer.code, ResponseCode.QUERY_NOT_FOUND)
    assert.equal(answer.remark, 'Not found, V3_0_6_SNAPSHOT maybe this group consumer boot first')
  }
})

test('an offset is stored for groups and topics that exist', async t => {
  const { peer } = await start(t)
  await send(peer, { topic: 'T' })
  const unknownGroup = await update(peer, 1)
  assert.deepEqual(
    [unknownGroup.code, unknownGroup.remark],
    [ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST, 'Group CG not exist!'],
  )
  await pull(peer, { topic: 'T' })
  assert.equal((await update(peer, 1)).code, 0)
  assert.equal((await query(peer)).extFields!.offset, '1')
  const unknownTopic = await update(peer, 1, { topic: 'U' })
  assert.deepEqual([unknownTopic.code, unknownTopic.remark], [ResponseCode.TOPIC_NOT_EXIST, 'Topic U not exist!'])
  assert.equal((await update(peer, 1, { queueId: '99' })).code, 0)
})

test('while a reset is pending, commits are accepted and ignored', async t => {
  const { broker, peer } = await start(t)
  await send(peer, { topic: 'T' })
  await pull(peer, { topic: 'T' })
  broker.state.offsets.assignReset('CG', 'T', 0, 0)
  const answer = await update(peer, 1)
  assert.deepEqual([answer.code, answer.remark], [0, 'Offset has been previously reset'])
  assert.equal((await query(peer)).extFields!.offset, '0')
})

test('committed offsets survive a restart', async t => {
  const directory = temporaryDirectory(t)
  const { broker, peer } = await start(t, { storePathRootDir: directory })
  await send(peer, { topic: 'T' })
  await pull(peer, { topic: 'T' })
  await update(peer, 1)
  await broker.close()
  const again = await start(t, { storePathRootDir: directory })
  const answer = await query(again.peer)
  assert.deepEqual([answer.code, answer.extFields!.offset], [0, '1'])
})

test('the bounds of a queue, and its offsets by time (case R90)', async t => {
  const { peer } = await start(t)
  for (let i = 0; i < 3; i++) await send(peer, { topic: 'T' })
  const ask = async (code: number, ext: Record<string, string> = {}) => {
    const { extFields } = await peer.call(code, { topic: 'T', queueId: '0', ...ext })
    return Number(extFields!.offset ?? extFields!.timestamp)
  }
  assert.equal(await ask(RequestCode.GET_MAX_OFFSET), 3)
  assert.equal(await ask(RequestCode.GET_MIN_OFFSET), 0)
  const earliest = await ask(RequestCode.GET_EARLIEST_MSG_STORETIME)
  assert.ok(Math.abs(Date.now() - earliest) < 60_000)
  const search = (timestamp: number, boundaryType?: string) =>
    ask(RequestCode.SEARCH_OFFSET_BY_TIMESTAMP, {
      timestamp: String(timestamp),
      ...(boundaryType === undefined ? {} : { boundaryType }),
    })
  assert.equal(await search(0), 0)
  assert.equal(await search(-1), 0)
  assert.equal(await search(earliest), 0)
  assert.equal(await search(Date.now() + 3_600_000), 3)
  assert.equal(await search(Date.now() + 3_600_000, 'upper'), 2)
  const unknown = { queueId: '9' }
  assert.equal(await ask(RequestCode.GET_MAX_OFFSET, unknown), 0)
  assert.equal(await ask(RequestCode.GET_MIN_OFFSET, unknown), 0)
  assert.equal(await ask(RequestCode.GET_EARLIEST_MSG_STORETIME, unknown), -1)
  assert.equal(await ask(RequestCode.GET_MAX_OFFSET, { topic: 'unknown' }), 0)
})
