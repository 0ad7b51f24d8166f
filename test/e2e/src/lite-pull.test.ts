/** The lite pull consumer against our broker. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLitePullConsumer, createProducer } from '@rocketmq-ts/client'
import { startRocketMQ } from '@rocketmq-ts/embedded'

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `m${i}`)

async function send(nameServers: string, bodies: string[]): Promise<void> {
  await using producer = await createProducer({ nameServers, group: 'p' })
  await Promise.all(bodies.map(body => producer.send({ topic: 'orders', body })))
}

test('two members share a topic; one that closes leaves what it committed, and the other goes on from there', async () => {
  await using rocketmq = await startRocketMQ()
  const { nameServers } = rocketmq
  await send(nameServers, numbered(200))
  const options = {
    nameServers,
    group: 'g',
    subscriptions: { orders: '*' },
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET' as const,
    autoCommit: false,
  }
  const got: string[] = []
  const first = await createLitePullConsumer(options)
  while (got.length < 200) for (const message of await first.poll()) got.push(message.text())
  await first.commit()
  await using second = await createLitePullConsumer(options)
  await first.close()
  await send(nameServers, ['last'])
  const signal = AbortSignal.timeout(30_000)
  for await (const message of second.messages({ signal })) {
    got.push(message.text())
    if (message.text() === 'last') break
  }
  await second.close()
  assert.deepEqual(got.sort(), ['last', ...numbered(200)].sort())
})

test('assigned queues are read from where a seek points, and what is committed is found again', async () => {
  await using rocketmq = await startRocketMQ()
  const { nameServers } = rocketmq
  await send(nameServers, numbered(40))
  const options = { nameServers, group: 'assigned', consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET' as const }
  const first = await createLitePullConsumer(options)
  const queues = await first.fetchMessageQueues('orders')
  await first.assign(queues)
  const got = new Set<string>()
  while (got.size < 40) for (const message of await first.poll()) got.add(message.text())
  await first.commit()
  for (const queue of queues) await first.seekToBegin(queue)
  let again = 0
  while (again < 40) again += (await first.poll({ maxCount: 7 })).length
  assert.equal(again, 40)
  await first.close()
  await using second = await createLitePullConsumer(options)
  const ends = await Promise.all(queues.map(queue => second.maxOffset(queue)))
  for (const [i, queue] of queues.entries()) assert.ok(((await second.committed(queue)) ?? 0) <= ends[i]!)
  assert.equal(await second.offsetForTimestamp(queues[0]!, 0), 0)
  await second.close()
})
