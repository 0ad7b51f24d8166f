import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type RocketMQ, startRocketMQ } from '@rocketmq-ts/embedded'
import { getRouteinfoByTopic } from '@rocketmq-ts/protocol'
import { nothingLeftSince, pullOne, sendOne, withRpc } from './support.ts'

test('a RocketMQ starts on free ports, is found through its name server, stores and serves, and leaves nothing', async () => {
  const before = process.getActiveResourcesInfo()
  let kept: RocketMQ
  {
    await using rocketmq = await startRocketMQ()
    kept = rocketmq
    assert.match(rocketmq.nameServers, /^127\.0\.0\.1:\d+$/)
    assert.ok(existsSync(join(rocketmq.dataDirectory, 'lock')))
    const route = await withRpc(rpc => rpc.call(getRouteinfoByTopic, rocketmq.nameServers, { topic: 'TBW102' }))
    assert.ok(route.body?.includes(rocketmq.brokerAddress), `${route.body}`)
    const offset = await sendOne(rocketmq.brokerAddress, 'Embedded', 'hello')
    assert.equal(offset, 0)
    assert.ok((await pullOne(rocketmq.brokerAddress, 'Embedded', 0)).includes('hello'))
  }
  assert.equal(existsSync(kept.dataDirectory), false)
  await kept.close()
  await nothingLeftSince(before)
})

test('several run side by side and know nothing of one another', async () => {
  await using first = await startRocketMQ()
  await using second = await startRocketMQ()
  await sendOne(first.brokerAddress, 'OnlyInFirst', 'x')
  await assert.rejects(pullOne(second.brokerAddress, 'OnlyInFirst', 0), { code: 'RESPONSE_ERROR' })
})

test('a directory that is given is kept, and its messages are there the next time', async t => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'rocketmq-embedded-'))
  t.after(() => rmSync(dataDirectory, { recursive: true }))
  {
    await using rocketmq = await startRocketMQ({ dataDirectory })
    await sendOne(rocketmq.brokerAddress, 'Kept', 'still here')
  }
  await using again = await startRocketMQ({ dataDirectory })
  assert.ok((await pullOne(again.brokerAddress, 'Kept', 0)).includes('still here'))
  assert.equal(await sendOne(again.brokerAddress, 'Kept', 'next'), 1)
})

test('a directory in use is refused by name, and nothing is left running', async () => {
  await using rocketmq = await startRocketMQ()
  const before = process.getActiveResourcesInfo()
  await assert.rejects(startRocketMQ({ dataDirectory: rocketmq.dataDirectory }), { code: 'STORE_LOCKED' })
  await nothingLeftSince(before)
})

test('an unknown setting is refused, with the one that was probably meant', async () => {
  const brokerConfig = { autoCreateTopicEnabled: false } as object
  await assert.rejects(startRocketMQ({ brokerConfig }), (error: Error) => /autoCreateTopicEnable/.test(error.message))
})
