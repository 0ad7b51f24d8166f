import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { test } from 'node:test'
import { RequestCode } from '@rocketmq-ts/protocol'
import { ConsumerScene } from './support/consumer-scene.ts'
import { settle, until } from './support/manual-clock.ts'

test('two processes with one address and one process id have client ids of their own (case R13)', async () => {
  const url = new URL('../dist/client-id.js', import.meta.url).href
  const script = `
    Object.defineProperty(process, 'pid', { value: 1 })
    import(${JSON.stringify(url)}).then(({ defaultInstanceName }) => console.log(defaultInstanceName()))
  `
  const nameOfOne = () =>
    new Promise<string>((resolve, reject) => {
      const child = spawn(process.execPath, ['-e', script])
      let text = ''
      child.stdout.on('data', chunk => {
        text += chunk
      })
      child.on('error', reject)
      child.on('close', () => resolve(text.trim()))
    })
  const names = await Promise.all([nameOfOne(), nameOfOne()])
  for (const name of names) assert.match(name, /^1#\d+$/)
  assert.notEqual(names[0], names[1])
})

test('slow handlers and many queues of large messages fill no more memory than allowed (case R110)', async () => {
  const bodyBytes = 64 * 1024
  const queues = 64
  await using scene = await ConsumerScene.start({ orders: queues })
  const body = Buffer.alloc(bodyBytes)
  for (let i = 0; i < queues * 8; i++) scene.broker.put('orders', i % queues, { body })
  let working = 0
  const consumer = await scene.push({
    concurrency: 4,
    pullBatchSize: 2,
    pullThresholdBytesForAll: 2 * 1024 * 1024,
  })
  await consumer.start(async () => {
    working++
    await new Promise(() => {})
  })
  await until(() => working === 4, 'all handlers are busy')
  await settle(200)
  const pulled = scene.broker.of(RequestCode.PULL_MESSAGE).filter(({ extFields }) => extFields?.topic === 'orders')
  // A queue that has nothing may always pull; beyond that there is room for 16 pulls of 128 KiB.
  assert.ok(pulled.length <= queues + 16, `${pulled.length} pulls`)
  assert.equal(working, 4)
})

test('a threshold of a topic is shared by its queues', async () => {
  await using scene = await ConsumerScene.start({ orders: 2 })
  for (let i = 0; i < 60; i++) scene.broker.put('orders', i % 2)
  let working = 0
  const consumer = await scene.push({ concurrency: 100, pullBatchSize: 2, pullThresholdForTopic: 12 })
  await consumer.start(async () => {
    working++
    await new Promise(() => {})
  })
  // The retry topic has a queue, too: 12 for 3 queues are 4 each; the pull that goes beyond is the last.
  await until(() => working === 12, 'both queues are at their share')
  await settle(100)
  assert.equal(working, 12)
})

test('a pull consumer with a namespace asks for wrapped names, and gives plain ones', async () => {
  await using scene = await ConsumerScene.start({ 'ns1%orders': 1 })
  scene.broker.put('ns1%orders', 0, { body: 'a' })
  const consumer = await scene.pull({ namespace: 'ns1' })
  const [queue] = await consumer.fetchMessageQueues('orders')
  assert.deepEqual(queue, { topic: 'orders', brokerName: 'broker-a', queueId: 0 })
  const { messages } = await consumer.pull(queue!, { offset: 0 })
  assert.equal(messages[0]?.topic, 'orders')
  const { extFields } = scene.broker.of(RequestCode.PULL_MESSAGE)[0]!
  assert.deepEqual([extFields?.topic, extFields?.consumerGroup], ['ns1%orders', 'ns1%g'])
  consumer.updateConsumeOffset(queue!, 1)
  await consumer.persistConsumeOffset(queue!)
  assert.equal(scene.broker.offset('ns1%g', 'ns1%orders', 0), 1)
})
