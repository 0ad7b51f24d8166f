/** Delays and retries with Java on one side: its clients with our broker, and a store handed over while messages wait. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createProducer, createPullConsumer } from '@rocketmq-ts/client'
import {
  type OurStandalone,
  propertiesText,
  startJava,
  startJavaBroker,
  startJavaNamesrv,
  startOurStandalone,
  temporaryDirectory,
} from '../../peers/dist/index.js'
import { eventually, numbered, skipWithoutJava } from './setup.ts'

const skip = { skip: skipWithoutJava }
let home: ReturnType<typeof temporaryDirectory>

before(() => {
  if (!skipWithoutJava) home = temporaryDirectory('retry')
})

after(() => {
  if (!skipWithoutJava) home.dispose()
})

const javaClient = (ours: OurStandalone, args: string[], ready: RegExp) =>
  startJava('java client', 'JavaPeer', [...args, `namesrv=${ours.namesrv}`], { home: home.path, ready })

test('what a Java consumer fails comes back to it from our broker, and a Java producer can delay', skip, async () => {
  const configFile = `${home.path}/levels.conf`
  writeFileSync(configFile, propertiesText({ messageDelayLevel: '2s 1s 1s 1s 1s 1s' }))
  const ours = await startOurStandalone(`${home.path}/retry`, { configFile })
  const producer = await javaClient(ours, ['produce', 'topic=Failing', 'count=8', 'prefix=f', 'tags=a,b'], /done/)
  assert.equal(await producer.exited, 0)
  const consumer = await javaClient(ours, ['consume', 'topic=Failing', 'group=java-retry', 'failFirst=2'], /started/)
  await eventually('each comes a third time', () => (consumer.text.match(/^got /gm) ?? []).length === 8)
  const attempts = [...consumer.text.matchAll(/later (f-\d+)/g)].map(match => match[1]!)
  assert.deepEqual(attempts.sort(), [...numbered('f', 8), ...numbered('f', 8)].sort())
  const got = [...consumer.text.matchAll(/got (f-\d+) \d+ \d+ (\d+) (\d+)/g)]
  assert.deepEqual(got.map(match => match[1]).sort(), numbered('f', 8))
  assert.ok(got.every(match => match[2] === '2' && Number(match[3]) >= 2000))

  const delaying = ['produce', 'topic=Failing', 'count=3', 'prefix=d', 'delayLevel=1']
  const delayed = await javaClient(ours, delaying, /done/)
  assert.equal(await delayed.exited, 0)
  await eventually('delayed and failed twice', () => (consumer.text.match(/^got d-/gm) ?? []).length === 3)
  const ages = [...consumer.text.matchAll(/got d-\d+ \d+ \d+ 2 (\d+)/g)].map(match => Number(match[1]))
  assert.equal(ages.length, 3)
  assert.ok(ages.every(age => age >= 4000))
  consumer.write('stop')
  await consumer.exited
  assert.equal(await ours.process.stop(), 0)
})

/** How the recorded store was made. */
const recorded = {
  brokerClusterName: 'GoldenCluster',
  brokerName: 'golden-a',
  mappedFileSizeCommitLog: 1_048_576,
  mappedFileSizeConsumeQueue: 20_000,
  mappedFileSizeConsumeQueueExt: 65_536,
  mapperFileSizeBatchConsumeQueue: 46_000,
  mappedFileSizeTimerLog: 52_000,
  maxHashSlotNum: 1000,
  maxIndexNum: 4000,
  fileReservedTime: 876_000,
  diskMaxUsedSpaceRatio: 95,
  traceTopicEnable: false,
  transactionCheckInterval: 86_400_000,
}

/** Bodies of a topic, in the order of its queues. */
async function bodiesOf(nameServers: string, topic: string): Promise<string[]> {
  await using consumer = await createPullConsumer({ nameServers, group: 'retry-reader' })
  const bodies: string[] = []
  for (const queue of await consumer.fetchMessageQueues(topic)) {
    for (let offset = await consumer.minOffset(queue); offset < (await consumer.maxOffset(queue)); ) {
      const result = await consumer.pull(queue, { offset, maxCount: 32 })
      bodies.push(...result.messages.map(message => message.text()))
      offset = result.nextBeginOffset
    }
  }
  return bodies
}

/** The table of delayOffset.json. */
function delayOffsets(directory: string): string {
  const text = readFileSync(`${directory}/config/delayOffset.json`, 'utf8')
  return /"offsetTable":(\{[^}]*\})/.exec(text)![1]!.replaceAll(/\s/g, '')
}

async function sendDelayed(nameServers: string, body: string, delayLevel: number): Promise<void> {
  await using producer = await createProducer({ nameServers, group: 'retry-producer' })
  const { status } = await producer.send({ topic: 'T_Delay', body, delayLevel })
  assert.equal(status, 'SEND_OK')
}

test('delayed messages of a Java store are delivered by us where Java stopped, and ours by Java', skip, async () => {
  const directory = `${home.path}/recorded`
  mkdirSync(directory)
  const archive = fileURLToPath(new URL('../../../packages/store/test/golden/a-clean.tar.gz', import.meta.url))
  assert.equal(spawnSync('tar', ['xzf', archive, '-C', directory]).status, 0)
  assert.equal(delayOffsets(directory), '{1:10,2:1,3:1,16:0,17:0,18:0}')
  const configFile = `${home.path}/recorded.conf`
  writeFileSync(configFile, propertiesText(recorded))

  const ours = await startOurStandalone(directory, { configFile })
  let bodies: string[] = []
  await eventually('the four that waited are delivered', async () => {
    bodies = await bodiesOf(ours.namesrv, 'T_Delay')
    return bodies.length >= 8
  })
  assert.equal(new Set(bodies).size, 8, 'none of those that Java had delivered comes twice')
  await sendDelayed(ours.namesrv, 'waits for Java', 3)
  assert.equal(await ours.process.stop(), 0)
  assert.equal(delayOffsets(directory), '{1:10,2:1,3:1,16:1,17:1,18:2}')

  const namesrv = await startJavaNamesrv(home.path)
  const java = await startJavaBroker(home.path, namesrv.address, directory, { config: recorded })
  await eventually('Java delivers ours', async () => {
    bodies = await bodiesOf(namesrv.address, 'T_Delay')
    return bodies.length >= 9
  })
  assert.equal(new Set(bodies).size, 9)
  assert.ok(bodies.includes('waits for Java'))
  await sendDelayed(namesrv.address, 'waits for us', 3)
  await java.process.stop()
  await namesrv.process.stop()
  // A message of level 3 that came due while Java ran counts or doesn't, by the moment of its stop.
  assert.match(delayOffsets(directory), /^\{1:10,2:1,3:[23],16:1,17:1,18:2\}$/)

  const again = await startOurStandalone(directory, { configFile })
  await eventually("we deliver Java's", async () => {
    bodies = await bodiesOf(again.namesrv, 'T_Delay')
    return bodies.length >= 10
  })
  assert.equal(new Set(bodies).size, 10)
  assert.ok(bodies.includes('waits for us'))
  assert.equal(await again.process.stop(), 0)
})
