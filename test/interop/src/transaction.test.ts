/** Transactions and requests with Java's client on one side, and a store with open transactions that changes hands. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { createProducer, createPullConsumer, createPushConsumer, createTransactionProducer } from '@rocketmq-ts/client'
import {
  type OurStandalone,
  propertiesText,
  startJava,
  startJavaBroker,
  startJavaNamesrv,
  startOurStandalone,
  temporaryDirectory,
} from '../../peers/dist/index.js'
import { collect, eventually, skipWithoutJava } from './setup.ts'

const skip = { skip: skipWithoutJava }
const config = { transactionTimeOut: 1000, transactionCheckInterval: 1000 }
let home: ReturnType<typeof temporaryDirectory>

before(() => {
  if (!skipWithoutJava) home = temporaryDirectory('transaction')
})

after(() => {
  if (!skipWithoutJava) home.dispose()
})

function ours(name: string, more: Record<string, number> = {}): Promise<OurStandalone> {
  const configFile = `${home.path}/${name}.conf`
  writeFileSync(configFile, propertiesText({ ...config, ...more }))
  return startOurStandalone(`${home.path}/${name}`, { configFile })
}

const javaClient = (namesrv: string, args: string[], ready: RegExp) =>
  startJava('java client', 'JavaPeer', [...args, `namesrv=${namesrv}`], { home: home.path, ready })

/** Bodies of a topic. */
async function bodiesOf(nameServers: string, topic: string): Promise<string[]> {
  await using consumer = await createPullConsumer({ nameServers, group: 'transaction-reader' })
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

const even = (prefix: string, count: number) => Array.from({ length: count / 2 }, (_, i) => `${prefix}-${2 * i}`).sort()

test("Java's transaction producer commits, rolls back and is asked by our broker", skip, async () => {
  const broker = await ours('commit')
  const producer = await javaClient(broker.namesrv, ['transaction', 'topic=Tx', 'count=20'], /sending done/)
  assert.equal((producer.text.match(/^sent SEND_OK /gm) ?? []).length, 20)
  const checks = await collect(producer, /check (\S+ 1 Tx)\n/, 4)
  assert.deepEqual(checks.sort(), ['tx-0 1 Tx', 'tx-10 1 Tx', 'tx-15 1 Tx', 'tx-5 1 Tx'])
  await eventually('all even ones are there', async () => (await bodiesOf(broker.namesrv, 'Tx')).length >= 10)
  const consumer = await javaClient(broker.namesrv, ['consume', 'topic=Tx', 'group=java-tx', 'tags=a'], /started/)
  const got = await collect(consumer, /got (tx-\d+) /, 10)
  assert.deepEqual(got.sort(), even('tx', 20))
  consumer.write('stop')
  producer.write('stop')
  await Promise.all([consumer.exited, producer.exited])
  assert.deepEqual(await bodiesOf(broker.namesrv, 'Tx'), even('tx', 20))
  assert.equal(await broker.process.stop(), 0)
})

test('open transactions of our store are asked about by Java, and those of its store by us', skip, async () => {
  const never = { transactionCheckInterval: 86_400_000 }
  const broker = await ours('handed', never)
  const directory = `${home.path}/handed`
  const javaOpen = await javaClient(broker.namesrv, ['transaction', 'topic=Tx', 'count=20', 'prefix=a'], /sending done/)
  javaOpen.write('stop')
  await javaOpen.exited
  await eventually('what was decided', async () => (await bodiesOf(broker.namesrv, 'Tx')).length >= 8)
  assert.equal(await broker.process.stop(), 0)

  const namesrv = await startJavaNamesrv(home.path)
  const java = await startJavaBroker(home.path, namesrv.address, directory, { config })
  const asked = await javaClient(namesrv.address, ['transaction', 'topic=Tx', 'count=2', 'prefix=c'], /sending done/)
  assert.deepEqual([...new Set(await collect(asked, /check (a-\d+) /, 4))].sort(), ['a-0', 'a-10', 'a-15', 'a-5'])
  const ended = [...even('a', 20), 'c-0'].sort()
  await eventually('all even ones are there', async () => (await bodiesOf(namesrv.address, 'Tx')).length >= 11)
  asked.write('stop')
  await asked.exited
  assert.deepEqual([...new Set(await bodiesOf(namesrv.address, 'Tx'))], ended)
  // Too quick to be asked by Java.
  const left = await createTransactionProducer({
    nameServers: namesrv.address,
    group: 'java-transactions',
    check: async () => 'UNKNOWN',
  })
  await left.sendInTransaction({ topic: 'Tx', body: 'b-2' }, async () => 'UNKNOWN')
  await left.sendInTransaction({ topic: 'Tx', body: 'b-3' }, async () => 'UNKNOWN')
  await left.close()
  await java.process.stop()
  await namesrv.process.stop()

  const again = await ours('handed')
  const checked: string[] = []
  await using _producer = await createTransactionProducer({
    nameServers: again.namesrv,
    group: 'java-transactions',
    check: async message => {
      checked.push(message.text())
      return message.text() === 'b-2' ? 'COMMIT' : 'ROLLBACK'
    },
  })
  await eventually('both are asked about', () => checked.includes('b-2') && checked.includes('b-3'))
  await eventually('one is committed', async () => (await bodiesOf(again.namesrv, 'Tx')).includes('b-2'))
  // A stopping Java broker may forget what was ended last.
  assert.deepEqual([...new Set(await bodiesOf(again.namesrv, 'Tx'))], [...ended, 'b-2'].sort())
  assert.equal(await again.process.stop(), 0)
})

test('requests of Java and of us are replied to by each other, through our broker', skip, async () => {
  const broker = await ours('reply')
  const nameServers = broker.namesrv
  const javaReplier = await javaClient(nameServers, ['reply', 'topic=ToJava', 'group=java-replier'], /started/)
  await using asking = await createProducer({ nameServers, group: 'asking' })
  const answer = await asking.request({ topic: 'ToJava', body: 'hello' }, { timeoutMs: 40_000 })
  assert.equal(answer.body.toString(), 're: hello')
  await collect(javaReplier, /replied (SEND_OK)/, 1)
  javaReplier.write('stop')

  await using replier = await createProducer({ nameServers, group: 'replier' })
  // So that our replier has a queue from the beginning.
  await asking.send({ topic: 'ToUs', body: 'no request' })
  await using _consumer = await createPushConsumer({
    nameServers,
    group: 'our-replier',
    subscriptions: { ToUs: '*' },
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
    handler: async ([message]) => {
      if (message!.text() !== 'no request') await replier.reply(message!, `re: ${message!.text()}`)
    },
  })
  const javaAsking = await javaClient(nameServers, ['request', 'topic=ToUs', 'count=3', 'group=java-asking'], /done/)
  assert.deepEqual(await collect(javaAsking, /reply (.*)\n/, 3), ['re: question-0', 're: question-1', 're: question-2'])
  await Promise.all([javaReplier.exited, javaAsking.exited])
  assert.equal(await broker.process.stop(), 0)
})
