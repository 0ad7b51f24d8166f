import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { topicConfig } from '@rocketmq-ts/model'
import { topicConfigSerializeWrapper } from '@rocketmq-ts/protocol'
import { RocketMqError, realDisk, silentLogger, TurnScheduler } from '@rocketmq-ts/runtime'
import { keepGroups, keepRequestModes, keepTopics } from '../dist/config-files.js'
import { createBrokerOptions } from '../dist/options.js'
import { SubscriptionGroupTable } from '../dist/subscription/group-table.js'
import { RequestModeTable } from '../dist/subscription/request-mode-table.js'
import { TopicTable } from '../dist/topic/topic-table.js'
import { AdminClock } from './support/admin-clock.js'

const golden = (name: string) => readFileSync(new URL(`../test/golden/config/${name}`, import.meta.url), 'utf8')
const options = createBrokerOptions({ brokerName: 'golden-a', clusterName: 'GoldenCluster' })

function rig(test: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'broker-config-'))
  test.after(() => rmSync(directory, { recursive: true }))
  const clock = new AdminClock()
  const deps = { disk: realDisk, directory, clock, logger: silentLogger }
  const tables = { options, clock, logger: silentLogger }
  return { directory, clock, deps, tables, read: (name: string) => readFileSync(join(directory, name), 'utf8') }
}

/** The topics or groups of a file, one text each, sorted: Java's order is that of a hash table. */
const entriesOf = (text: string) =>
  text
    .split(/\n\t\t(?=["}])/)
    .slice(1)
    .map(part => part.replace(/,$/, ''))
    .sort()

test('topics.json of the Java broker is read, and written back the same', t => {
  const { deps, tables, directory, read } = rig(t)
  writeFileSync(join(directory, 'topics.json'), golden('topics.json'))
  const topics = new TopicTable(tables)
  const saver = keepTopics(topics, deps)
  assert.equal(topics.get('SCHEDULE_TOPIC_XXXX')?.writeQueueNums, 18)
  assert.deepEqual(topics.dataVersion, topicConfigSerializeWrapper.parse(golden('topics.json')).dataVersion)
  saver.saveNow()
  assert.deepEqual(entriesOf(read('topics.json')), entriesOf(golden('topics.json')))
  assert.equal(read('topics.json.bak'), golden('topics.json'))
})

test('subscriptionGroup.json of the Java broker is read, and written back the same', t => {
  const { deps, tables, directory, read } = rig(t)
  writeFileSync(join(directory, 'subscriptionGroup.json'), golden('subscriptionGroup.json'))
  const saver = keepGroups(new SubscriptionGroupTable(tables), deps)
  saver.saveNow()
  assert.deepEqual(entriesOf(read('subscriptionGroup.json')), entriesOf(golden('subscriptionGroup.json')))
})

test('a damaged file falls back to what was there before, and two damaged ones are an error', t => {
  const { deps, tables, directory } = rig(t)
  writeFileSync(join(directory, 'topics.json'), '{"dataVersion":{"coun')
  writeFileSync(join(directory, 'topics.json.bak'), golden('topics.json'))
  const topics = new TopicTable(tables)
  keepTopics(topics, deps)
  assert.equal(topics.get('T_Timer')?.writeQueueNums, 2)
  writeFileSync(join(directory, 'topics.json.bak'), 'x')
  assert.throws(() => keepTopics(new TopicTable(tables), deps), /CONFIG_INVALID.*topics\.json\.bak/)
})

test('the changes of one turn are written once, before the answers of that turn leave', async t => {
  const { deps, tables, clock, read } = rig(t)
  const turn = new TurnScheduler(clock)
  const topics = new TopicTable(tables)
  keepTopics(topics, { ...deps, turn })
  const flushed = new Promise<string>(resolve => turn.onEnd('flush', () => resolve(read('topics.json'))))
  for (let index = 0; index < 10; index++) topics.update(topicConfig(`T${index}`), new Map())
  assert.throws(() => read('topics.json'), { code: 'ENOENT' })
  const written = topicConfigSerializeWrapper.parse(await flushed)
  assert.equal(written.topicConfigTable.has('T9'), true)
  assert.equal(written.dataVersion.counter, 10)
  assert.throws(() => read('topics.json.bak'), { code: 'ENOENT' })
})

test('request modes survive a restart', t => {
  const { deps } = rig(t)
  const modes = new RequestModeTable()
  keepRequestModes(modes, deps)
  modes.set({ topic: 'T', consumerGroup: 'G', mode: 'POP', popShareQueueNum: 2 })
  const again = new RequestModeTable()
  keepRequestModes(again, deps)
  assert.deepEqual(again.get('T', 'G'), { topic: 'T', consumerGroup: 'G', mode: 'POP', popShareQueueNum: 2 })
})

test('a full disk is tried once a second, and the change is saved when there is room, without another change', async t => {
  const { deps, tables, clock, directory, read } = rig(t)
  let isFull = true
  let tries = 0
  const disk = Object.create(realDisk) as typeof realDisk
  disk.writeFile = (path, content, options) => {
    tries++
    if (isFull) throw new RocketMqError('DISK_FULL', path)
    realDisk.writeFile(path, content, options)
  }
  const turn = new TurnScheduler(clock)
  const turns = async (count: number) => {
    for (let i = 0; i < count; i++) {
      turn.schedule()
      await new Promise(resolve => setImmediate(resolve))
    }
  }
  const topics = new TopicTable(tables)
  keepTopics(topics, { ...deps, disk, turn })
  topics.update(topicConfig('Orders'), new Map())
  await turns(20)
  const triesWhenFull = tries
  isFull = false
  await turns(2)
  assert.equal(existsSync(join(directory, 'topics.json')), false)
  clock.advance(1000)
  await turns(2)
  assert.ok(read('topics.json').includes('Orders'))
  assert.equal(triesWhenFull, 1)
})

test('while saving takes long, topics made by their first use wait, and a stop saves them; those of an administrator do not', async t => {
  const { deps, tables, clock, read } = rig(t)
  let saves = 0
  const disk = Object.create(realDisk) as typeof realDisk
  disk.rename = (from, to) => {
    if (to.endsWith('topics.json')) saves++
    clock.advance(to.endsWith('topics.json') ? 50 : 0)
    realDisk.rename(from, to)
  }
  const turn = new TurnScheduler(clock)
  const endOfTurn = () => new Promise<void>(resolve => setImmediate(() => setImmediate(resolve)))
  const topics = new TopicTable(tables)
  const saver = keepTopics(topics, { ...deps, disk, turn })
  for (let i = 0; i < 20; i++) {
    topics.ensure(topicConfig(`OnDemand${i}`))
    await endOfTurn()
  }
  assert.equal(saves, 1)
  clock.advance(500)
  await endOfTurn()
  assert.equal(saves, 2)
  assert.ok(read('topics.json').includes('OnDemand19'))
  topics.update(topicConfig('Ordered'), new Map())
  await endOfTurn()
  assert.equal(saves, 3)
  topics.ensure(topicConfig('Last'))
  await endOfTurn()
  assert.equal(read('topics.json').includes('Last'), false)
  saver.close()
  assert.ok(read('topics.json').includes('Last'))
})
