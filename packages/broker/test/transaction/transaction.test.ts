/** Transactions as clients see them, over sockets and files. */
import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { decodeOffsetMessageId, decodeStoredMessages, type StoredMessage, systemTopics } from '@rocketmq-ts/model'
import { checkTransactionState, decodeHeader, RequestCode } from '@rocketmq-ts/protocol'
import { Peer, pull, sendRequest, startTestBroker, temporaryDirectory } from '../support/test-broker.js'

const quick = { transactionTimeoutMs: 100, transactionCheckIntervalMs: 100 }

async function half(peer: Peer, body: string, properties: Record<string, string> = {}) {
  const all = { TRAN_MSG: 'true', PGROUP: 'PG', UNIQ_KEY: `K-${body}`, ...properties }
  const request = sendRequest({ topic: 'T', body: Buffer.from(body), properties: all, sysFlag: 4 })
  const ext = { ...request.ext, g: String(Date.now()) }
  const answer = await peer.call(request.code, ext, request.body)
  assert.equal(answer.code, 0)
  const { msgId, queueOffset } = answer.extFields!
  return endFields(decodeOffsetMessageId(msgId!).physicalOffset, Number(queueOffset))
}

function endFields(commitLogOffset: number, tranStateTableOffset: number, fromTransactionCheck = false) {
  return {
    topic: 'T',
    producerGroup: 'PG',
    tranStateTableOffset: String(tranStateTableOffset),
    commitLogOffset: String(commitLogOffset),
    fromTransactionCheck: String(fromTransactionCheck),
    msgId: 'x',
    transactionId: 'x',
  }
}

const end = (peer: Peer, fields: Record<string, string>, commitOrRollback: number) =>
  peer.call(RequestCode.END_TRANSACTION, { ...fields, commitOrRollback: String(commitOrRollback) })

async function online(peer: Peer): Promise<void> {
  const heartbeat = { clientID: 'tx-client', producerDataSet: [{ groupName: 'PG' }], consumerDataSet: [] }
  await peer.call(RequestCode.HEART_BEAT, {}, Buffer.from(JSON.stringify(heartbeat)))
}

/** Answers the broker's questions from the `from`-th on with a commit. */
async function commitAsked(peer: Peer, from: number): Promise<void> {
  await peer.received(from + 1)
  const { tranStateTableOffset, commitLogOffset } = decodeHeader(
    checkTransactionState.request,
    peer.pushed[from]!.extFields,
  )
  assert.equal((await end(peer, endFields(commitLogOffset, tranStateTableOffset, true), 8)).code, 0)
}

async function bodies(peer: Peer, topic = 'T'): Promise<string[]> {
  const answer = await pull(peer, { topic })
  return answer.code === 0 ? decodeStoredMessages(answer.body!).map(message => message.body.toString()) : []
}

test('a commit wakes the pull that waits, a rollback does not, and what is left open is asked about', async t => {
  const broker = await startTestBroker(t, quick)
  const [producer, consumer] = [await Peer.connect(t, broker.port), await Peer.connect(t, broker.port)]
  await online(producer)
  const rolledBack = await half(producer, 'rolled back')
  const committed = await half(producer, 'committed')
  const waiting = pull(consumer, { topic: 'T', sysFlag: 6, suspendMs: 20_000 })
  assert.equal((await end(producer, rolledBack, 12)).code, 0)
  producer.sendOneway(RequestCode.END_TRANSACTION, { ...committed, commitOrRollback: '8' })
  const [message] = decodeStoredMessages((await waiting).body!)
  assert.equal(message!.body.toString(), 'committed')
  await half(producer, 'asked')
  await commitAsked(producer, 0)
  assert.deepEqual(await bodies(consumer), ['committed', 'asked'])
  const question = producer.pushed[0]!
  assert.ok(question.isOneway)
  assert.deepEqual(
    [question.extFields!.topic, question.extFields!.bname, question.extFields!.msgId],
    [systemTopics.transactionHalf, 'broker-a', 'K-asked'],
  )
  const wrong = await end(producer, { ...committed, producerGroup: 'other' }, 8)
  assert.deepEqual([wrong.code, wrong.remark], [1, 'The producer group wrong'])
})

test('a half with a delay is delivered when it is committed', async t => {
  const broker = await startTestBroker(t)
  const peer = await Peer.connect(t, broker.port)
  const delayed = await half(peer, 'delayed', { DELAY: '1' })
  assert.equal((await end(peer, delayed, 8)).code, 0)
  assert.deepEqual(await bodies(peer), ['delayed'])
})

test('transactions are refused when the broker wants none', async t => {
  const broker = await startTestBroker(t, { rejectTransactionMessage: true })
  const peer = await Peer.connect(t, broker.port)
  const request = sendRequest({ topic: 'T', properties: { TRAN_MSG: 'true', PGROUP: 'PG' }, sysFlag: 4 })
  const answer = await peer.call(request.code, request.ext, request.body)
  assert.deepEqual([answer.code, /transaction message is forbidden/.test(answer.remark!)], [16, true])
})

test('a broker that was killed keeps what was committed, and asks about the rest', async t => {
  const storePathRootDir = temporaryDirectory(t)
  const first = await startTestBroker(t, { storePathRootDir })
  const peer = await Peer.connect(t, first.port)
  const [committed, rolledBack] = [await half(peer, 'committed'), await half(peer, 'rolled back')]
  await half(peer, 'open')
  assert.equal((await end(peer, committed, 8)).code, 0)
  assert.equal((await end(peer, rolledBack, 12)).code, 0)
  // What is in the files at this moment is what a killed process leaves behind.
  const left = temporaryDirectory(t)
  cpSync(storePathRootDir, left, { recursive: true, filter: source => source !== join(storePathRootDir, 'lock') })
  await first.close()
  const second = await startTestBroker(t, { storePathRootDir: left, ...quick })
  const other = await Peer.connect(t, second.port)
  assert.deepEqual(await bodies(other), ['committed'])
  await online(other)
  await other.received(1)
  const asked = () => other.pushed.map(command => decodeStoredMessages(command.body!)[0]!.body.toString())
  while (!asked().includes('open')) await other.received(other.pushed.length + 1)
  assert.deepEqual(await bodies(other), ['committed'])
})

test('a message that was given up becomes a half message again', async t => {
  const broker = await startTestBroker(t, { ...quick, transactionCheckMax: 0 })
  const peer = await Peer.connect(t, broker.port)
  await online(peer)
  await half(peer, 'given up')
  const topic = systemTopics.transactionCheckMaxTime
  let message: StoredMessage | undefined
  while (message === undefined) {
    const answer = await pull(peer, { topic, sysFlag: 6, suspendMs: 1000 })
    if (answer.code === 0) [message] = decodeStoredMessages(answer.body!)
  }
  broker.options.transactionCheckMax = 15
  const offset = message.physicalOffset.toString(16).padStart(16, '0').toUpperCase()
  const msgId = `7F000001${broker.port.toString(16).padStart(8, '0').toUpperCase()}${offset}`
  assert.equal((await peer.call(RequestCode.RESUME_CHECK_HALF_MESSAGE, { msgId })).code, 0)
  await commitAsked(peer, 0)
  assert.deepEqual(await bodies(peer), ['given up'])
  const nowhere = await peer.call(RequestCode.RESUME_CHECK_HALF_MESSAGE, { msgId: 'nonsense' })
  assert.equal(nowhere.code, 1)
})
