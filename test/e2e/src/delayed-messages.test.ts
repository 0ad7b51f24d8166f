/** Delays and retries of our clients with our broker: nothing is simulated, so every level waits a real second. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createProducer, createPushConsumer, type PushConsumerOptions } from '@rocketmq-ts/client'
import { startRocketMQ } from '@rocketmq-ts/embedded'
import { startOurStandalone } from '../../peers/dist/index.js'

const messageDelayLevel = '1s 1s 1s 1s 1s 1s'

/** Looks every few milliseconds; what it waits for is an event of another party. */
async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 30_000
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`never came true: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

const consumerOf = (nameServers: string, options: Partial<PushConsumerOptions> & { group: string }) =>
  createPushConsumer({
    nameServers,
    subscriptions: { orders: '*' },
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
    ...options,
  })

test('what a handler fails comes back after its delay, until it succeeds or its attempts are used up', async () => {
  await using rocketmq = await startRocketMQ({ brokerConfig: { messageDelayLevel } })
  await using producer = await createProducer({ nameServers: rocketmq.nameServers, group: 'p' })
  for (const body of ['good', 'again', 'never']) {
    await producer.send({ topic: 'orders', body, keys: [`k-${body}`], tags: body })
  }
  const got: { line: string; at: number }[] = []
  await using consumer = await consumerOf(rocketmq.nameServers, {
    group: 'g',
    maxReconsumeTimes: 2,
    handler: ([message]) => {
      const { topic, reconsumeTimes, keys, tags } = message!
      const body = message!.text()
      got.push({ line: `${topic} ${body} ${keys} ${tags} ${reconsumeTimes}`, at: Date.now() })
      if (body === 'never' || (body === 'again' && reconsumeTimes === 0)) throw new Error('not yet')
    },
  })
  await until(() => got.length === 6, 'six attempts')
  const dead: string[] = []
  await using undertaker = await consumerOf(rocketmq.nameServers, {
    group: 'undertaker',
    subscriptions: { '%DLQ%g': '*' },
    handler: ([message]) => void dead.push(message!.text()),
  })
  await until(() => dead.length === 1, 'a dead letter')
  await consumer.close()
  await undertaker.close()
  assert.deepEqual(dead, ['never'])
  assert.deepEqual(got.map(({ line }) => line).sort(), [
    'orders again k-again again 0',
    'orders again k-again again 1',
    'orders good k-good good 0',
    'orders never k-never never 0',
    'orders never k-never never 1',
    'orders never k-never never 2',
  ])
  const times = got.filter(({ line }) => line.startsWith('orders never')).map(({ at }) => at)
  assert.ok(times[1]! - times[0]! >= 1000 && times[2]! - times[1]! >= 1000)
})

test('a message sent with a delay level is consumed after it', async () => {
  await using rocketmq = await startRocketMQ({ brokerConfig: { messageDelayLevel } })
  await using producer = await createProducer({ nameServers: rocketmq.nameServers, group: 'p' })
  const sentAt = Date.now()
  await producer.send({ topic: 'orders', body: 'later', delayLevel: 1 })
  await producer.send({ topic: 'orders', body: 'now' })
  const got: string[] = []
  await using consumer = await consumerOf(rocketmq.nameServers, {
    group: 'g',
    handler: ([message]) => void got.push(message!.text()),
  })
  await until(() => got.length === 2, 'both')
  assert.deepEqual(got, ['now', 'later'])
  assert.ok(Date.now() - sentAt >= 1000)
  await consumer.close()
})

test('what waits when the server is killed is delivered by the next one', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rocketmq-e2e-'))
  const configFile = join(directory, 'broker.conf')
  writeFileSync(configFile, `messageDelayLevel=${messageDelayLevel}\n`)
  const first = await startOurStandalone(join(directory, 'data'), { configFile })
  const bodies = Array.from({ length: 50 }, (_, i) => `m${i}`)
  const producer = await createProducer({ nameServers: first.namesrv, group: 'p' })
  for (const body of bodies) await producer.send({ topic: 'orders', body, delayLevel: 1 })
  await first.process.stop('SIGKILL')
  await producer.close()
  const second = await startOurStandalone(join(directory, 'data'), { configFile })
  const got = new Set<string>()
  await using consumer = await consumerOf(second.namesrv, {
    group: 'g',
    handler: messages => {
      for (const message of messages) got.add(message.text())
    },
  })
  await until(() => got.size === bodies.length, 'all are delivered')
  await consumer.close()
  await second.process.stop()
  rmSync(directory, { recursive: true })
})
