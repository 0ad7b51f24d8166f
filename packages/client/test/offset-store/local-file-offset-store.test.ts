import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { LocalFileOffsetStore, localOffsetFile } from '@rocketmq-ts/client/internal'
import { messageQueueKey } from '@rocketmq-ts/model'
import { realDisk, silentLogger } from '@rocketmq-ts/runtime'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rocketmq-offsets-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const queue = (queueId: number) => ({ topic: 'orders', brokerName: 'broker-a', queueId })
const key = (queueId: number) => messageQueueKey(queue(queueId))
const path = () => join(directory, 'c', 'g', 'offsets.json')

async function open(): Promise<LocalFileOffsetStore> {
  const store = new LocalFileOffsetStore(realDisk, path(), silentLogger)
  await store.load()
  return store
}

test('offsets survive a restart, those of queues not held now included', async () => {
  const first = await open()
  first.update(key(0), queue(0), 5, true)
  first.update(key(1), queue(1), 9, true)
  await first.persistAll([queue(0), queue(1)])
  const second = await open()
  assert.equal(await second.stored(key(0), queue(0)), 5)
  second.update(key(0), queue(0), 6, true)
  await second.persistAll([queue(0)])
  const third = await open()
  assert.equal(await third.stored(key(0), queue(0)), 6)
  assert.equal(await third.stored(key(1), queue(1)), 9)
  assert.equal(await third.stored(key(2), queue(2)), undefined)
})

test('an offset moves up only, unless it is set', async () => {
  const store = await open()
  store.update(key(0), queue(0), 5, true)
  store.update(key(0), queue(0), 3, true)
  assert.equal(store.memory(key(0)), 5)
  store.update(key(0), queue(0), 3, false)
  assert.equal(store.memory(key(0)), 3)
})

test("a file written by Java's client is read, and ours has its form", async () => {
  const java =
    '{\n\t"offsetTable":{{\n\t\t\t"brokerName":"broker-a",\n\t\t\t"queueId":1,\n\t\t\t"topic":"orders"\n\t\t}:42,' +
    '{"brokerName":"broker-a","queueId":0,"topic":"orders"}:7}\n}'
  realDisk.makeDirectory(join(directory, 'c', 'g'))
  writeFileSync(path(), java)
  const store = await open()
  assert.equal(await store.stored(key(1), queue(1)), 42)
  store.update(key(0), queue(0), 8, true)
  await store.persist(key(0))
  const text = readFileSync(path(), 'utf8')
  assert.match(text, /^\{\n\t"offsetTable":\{\{"brokerName":"broker-a","queueId":1,"topic":"orders"\}:42,\{/)
  assert.equal(readFileSync(`${path()}.bak`, 'utf8'), java)
})

test('a damaged file is replaced by its backup; both damaged refuse to load', async () => {
  const store = await open()
  for (const offset of [1, 2]) {
    store.update(key(0), queue(0), offset, true)
    await store.persistAll([queue(0)])
  }
  writeFileSync(path(), '{"offsetTable":{{"brokerName"')
  assert.equal(await (await open()).stored(key(0), queue(0)), 1)
  writeFileSync(`${path()}.bak`, 'rubbish')
  await assert.rejects(open(), { code: 'CONFIG_INVALID' })
})

test('nothing is written while nothing changes', async () => {
  const store = await open()
  store.update(key(0), queue(0), 1, true)
  await store.persistAll([queue(0)])
  writeFileSync(path(), 'untouched')
  await store.persistAll([queue(0)])
  assert.equal(readFileSync(path(), 'utf8'), 'untouched')
})

test('no client id or group can lead out of the directory', () => {
  assert.equal(localOffsetFile('/d', '1.2.3.4@DEFAULT', 'g'), '/d/1.2.3.4@DEFAULT/g/offsets.json')
  assert.equal(localOffsetFile('/d', '../../etc', '..'), '/d/.._.._etc/_/offsets.json')
})
