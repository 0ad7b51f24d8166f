import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { standaloneBrokerConfig, startStandalone } from '@rocketmq-ts/embedded/internal'
import { type Disk, RocketMqError, realDisk } from '@rocketmq-ts/runtime'
import { sendOne } from './support.ts'

const GIB = 1024 ** 3

/** The real disk, that says to be 97 % full. */
function nearlyFull(availableBytes: number): Disk {
  const usage = { totalBytes: 250 * GIB, usedBytes: Math.floor((availableBytes * 97) / 3), availableBytes }
  return new Proxy(realDisk, {
    get(target, name) {
      if (name === 'usage') return () => usage
      const value = Reflect.get(target, name) as unknown
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

async function start(t: TestContext, disk: Disk, brokerConfig = {}) {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'rocketmq-disk-'))
  t.after(() => rmSync(dataDirectory, { recursive: true, force: true }))
  const standalone = await startStandalone({ dataDirectory, namesrvPort: 0, brokerPort: 0, disk, brokerConfig })
  t.after(() => standalone.close())
  return standalone
}

test('a disk that is 97 % full takes messages while there is room for a few files', async t => {
  const { broker, brokerAddress } = await start(t, nearlyFull(7 * GIB))
  assert.equal(await sendOne(brokerAddress, 'T', 'hello'), 0)
  assert.equal(broker.store.diskUsedPercent, 97)
  await broker.store.deleteExpired(false)
  assert.equal(await sendOne(brokerAddress, 'T', 'again'), 1)
})

test('a disk that is 97 % full and has no room for a few files takes none, and says so', async t => {
  const { brokerAddress } = await start(t, nearlyFull(GIB / 8))
  await assert.rejects(sendOne(brokerAddress, 'T', 'hello'), error => {
    assert.ok(RocketMqError.is(error))
    assert.equal(error.details.responseCode, 14)
    assert.match(error.message, /the disk is 97% full, more than 90%/)
    return true
  })
})

test("Java's rule is one setting away", async t => {
  assert.equal(standaloneBrokerConfig(realDisk, tmpdir()).diskSpaceAmpleBytes, GIB / 4)
  const { brokerAddress } = await start(t, nearlyFull(7 * GIB), { diskSpaceAmpleBytes: 0 })
  await assert.rejects(sendOne(brokerAddress, 'T', 'hello'), /disk is full/)
})
