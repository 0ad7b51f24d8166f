/** Transactions, and requests with their replies, of our clients with our broker. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  createProducer,
  createPullConsumer,
  createPushConsumer,
  createTransactionProducer,
  type TransactionState,
} from '@rocketmq-ts/client'
import { startRocketMQ } from '@rocketmq-ts/embedded'
import { startOurStandalone } from '../../peers/dist/index.js'

const transactionTimeoutMs = 200
const transactionCheckIntervalMs = 200

/** Looks every few milliseconds; what it waits for is an event of another party. */
async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + 30_000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`never came true: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

/** Bodies of a whole topic. */
async function bodiesOf(nameServers: string, topic: string): Promise<string[]> {
  await using consumer = await createPullConsumer({ nameServers, group: 'reader' })
  const bodies: string[] = []
  for (const queue of await consumer.fetchMessageQueues(topic)) {
    for (let offset = await consumer.minOffset(queue); offset < (await consumer.maxOffset(queue)); ) {
      const result = await consumer.pull(queue, { offset, maxCount: 32 })
      bodies.push(...result.messages.map(message => message.text()))
      offset = result.nextBeginOffset
    }
  }
  return bodies.sort()
}

test('consumers see what was committed at once or when asked, and nothing else', async () => {
  await using rocketmq = await startRocketMQ({ brokerConfig: { transactionTimeoutMs, transactionCheckIntervalMs } })
  const { nameServers } = rocketmq
  const got: string[] = []
  const checks = new Map<string, number>()
  await using producer = await createTransactionProducer({
    nameServers,
    group: 'tx',
    check: async message => {
      const body = message.text()
      const times = (checks.get(body) ?? 0) + 1
      checks.set(body, times)
      if (times < 3) return 'UNKNOWN'
      return body === 'asked, commit' ? 'COMMIT' : 'ROLLBACK'
    },
  })
  const send = (body: string, state: TransactionState) =>
    producer.sendInTransaction({ topic: 'orders', body, tags: 'a', keys: ['k'] }, async () => state)
  for (let i = 0; i < 10; i++) await send(`${i}`, i % 2 === 0 ? 'COMMIT' : 'ROLLBACK')
  await send('asked, commit', 'UNKNOWN')
  await send('asked, rollback', 'UNKNOWN')
  await using consumer = await createPushConsumer({
    nameServers,
    group: 'g',
    subscriptions: { orders: 'a' },
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
    handler: messages => void got.push(...messages.map(message => message.text())),
  })
  await until(() => got.length >= 6 && checks.get('asked, rollback') === 3, 'all have ended')
  await consumer.close()
  assert.deepEqual(got.sort(), ['0', '2', '4', '6', '8', 'asked, commit'])
  assert.deepEqual([...checks.keys()].sort(), ['asked, commit', 'asked, rollback'])
})

test('a broker that is killed and started again loses no commit, delivers no rollback, and asks about the rest', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'transactions-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  const configFile = join(directory, 'broker.conf')
  writeFileSync(configFile, 'transactionTimeOut=500\ntransactionCheckInterval=500\n')
  const store = join(directory, 'store')
  const first = await startOurStandalone(store, { configFile })
  const local = new Map<string, TransactionState>()
  const check = async (message: { text(): string }) => local.get(message.text()) ?? 'UNKNOWN'
  const producer = await createTransactionProducer({ nameServers: first.namesrv, group: 'tx', check })
  for (let i = 0; i < 30; i++) {
    const state = i % 3 === 0 ? 'ROLLBACK' : 'COMMIT'
    // Every other one decides, but the broker doesn't hear of it.
    const told = i % 2 === 0 ? state : 'UNKNOWN'
    await producer.sendInTransaction({ topic: 'orders', body: `${i}` }, async () => told)
    local.set(`${i}`, state)
  }
  await first.process.stop('SIGKILL')
  await producer.close()
  const second = await startOurStandalone(store, { configFile })
  await using again = await createTransactionProducer({ nameServers: second.namesrv, group: 'tx', check })
  await again.sendInTransaction({ topic: 'orders', body: 'after' }, async () => 'COMMIT')
  const expected = [...Array.from({ length: 30 }, (_, i) => `${i}`).filter(body => Number(body) % 3 !== 0), 'after']
  await until(async () => new Set(await bodiesOf(second.namesrv, 'orders')).size >= expected.length, 'all commits')
  assert.deepEqual([...new Set(await bodiesOf(second.namesrv, 'orders'))], expected.sort())
  assert.equal(await second.process.stop(), 0)
})

test('a request gets its reply through the broker, and none when nobody replies', async () => {
  await using rocketmq = await startRocketMQ()
  const { nameServers } = rocketmq
  await using replier = await createProducer({ nameServers, group: 'replier' })
  const statuses: string[] = []
  await using _consumer = await createPushConsumer({
    nameServers,
    group: 'g',
    subscriptions: { questions: '*' },
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
    handler: async ([message]) => {
      if (message!.text() === 'silence') return
      statuses.push((await replier.reply(message!, `${message!.text()}!`)).status)
    },
  })
  await using asking = await createProducer({ nameServers, group: 'asking' })
  const answers = await Promise.all(
    ['one', 'two', 'three'].map(body => asking.request({ topic: 'questions', body }, { timeoutMs: 20_000 })),
  )
  assert.deepEqual(
    answers.map(({ body }) => body.toString()),
    ['one!', 'two!', 'three!'],
  )
  await until(() => statuses.length === 3, 'the replier hears of it')
  assert.deepEqual(statuses, ['SEND_OK', 'SEND_OK', 'SEND_OK'])
  const unanswered = asking.request({ topic: 'questions', body: 'silence' }, { timeoutMs: 300 })
  await assert.rejects(unanswered, { code: 'REQUEST_TIMEOUT' })
})

test("a Java broker's transactions go on with us: what it knew to have ended, and what it didn't", async t => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'transactions-'))
  t.after(() => rmSync(dataDirectory, { recursive: true, force: true }))
  const archive = fileURLToPath(new URL('../../../packages/store/test/golden/a-clean.tar.gz', import.meta.url))
  assert.equal(spawnSync('tar', ['xzf', archive, '-C', dataDirectory]).status, 0)
  await using rocketmq = await startRocketMQ({
    dataDirectory,
    brokerConfig: {
      clusterName: 'GoldenCluster',
      brokerName: 'golden-a',
      commitLogFileSizeBytes: 1_048_576,
      consumeQueueFileSizeBytes: 20_000,
      consumeQueueExtFileSizeBytes: 65_536,
      mapperFileSizeBatchConsumeQueue: 46_000,
      indexHashSlotCount: 1000,
      indexEntryCount: 4000,
      fileReservedTimeHours: 876_000,
      transactionTimeoutMs,
      transactionCheckIntervalMs,
    },
  })
  const before = await bodiesOf(rocketmq.nameServers, 'T_Tx')
  const asked: string[] = []
  await using _producer = await createTransactionProducer({
    nameServers: rocketmq.nameServers,
    group: 'P_TX',
    check: async message => {
      asked.push(...message.keys)
      return message.keys.includes('tx-2') ? 'COMMIT' : 'ROLLBACK'
    },
  })
  await until(() => asked.length >= 2, 'both are asked about')
  await until(async () => (await bodiesOf(rocketmq.nameServers, 'T_Tx')).length > before.length, 'one is committed')
  assert.deepEqual(asked.sort(), ['tx-2', 'tx-6'])
  const after = await bodiesOf(rocketmq.nameServers, 'T_Tx')
  assert.equal(after.length, before.length + 1)
})
