import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PushConsumer } from '@rocketmq-ts/client'
import { RequestCode } from '@rocketmq-ts/protocol'
import { seededRandom } from '@rocketmq-ts/runtime'
import { ConsumerScene } from '../support/consumer-scene.ts'
import { settle } from '../support/manual-clock.ts'

const queues = 4
const steps = 60

/**
 * Members come and go, messages come, handlers take their time and fail, requests of the codes in `failing` sometimes fail. Whatever
 * the order: every message is handled, and no stored offset ever passes a message that nobody has finished.
 *
 * Returns the messages handled twice. As members leave in an orderly way, no handler outlasts its queue's draining, and time
 * doesn't pass faster than requests travel, there are none unless a member is kept from noticing that the group changed.
 */
async function simulate(seed: number, failing: readonly number[]): Promise<string[]> {
  const random = seededRandom(seed)
  await using scene = await ConsumerScene.start({ orders: queues })
  const sent: string[] = []
  const finished = new Map<string, number>()
  const sentBack = new Set<string>()
  scene.broker.redelivers = true
  const members: PushConsumer[] = []
  scene.broker.script = ({ code }) =>
    failing.includes(code) && random.int(10) === 0 ? { code: 2, remark: 'simulated' } : undefined
  const isSafe = (id: string) => finished.has(id) || sentBack.has(id)
  const assertOffsets = () => {
    for (let queueId = 0; queueId < queues; queueId++) {
      const offset = scene.broker.offset('g', 'orders', queueId) ?? 0
      for (let i = 0; i < offset; i++) assert.ok(isSafe(`orders ${queueId} ${i}`), `seed ${seed}: offset ${offset}`)
    }
  }
  const join = async () => {
    const member = await scene.push({
      concurrency: 1 + random.int(8),
      pullBatchSize: 1 + random.int(8),
      consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
    })
    members.push(member)
    await member.start(async ([message]) => {
      await settle(random.int(4))
      if (random.int(12) === 0) {
        sentBack.add(message!.messageId)
        throw new Error('simulated')
      }
      finished.set(message!.messageId, (finished.get(message!.messageId) ?? 0) + 1)
    })
  }
  const leave = async () => {
    const [member] = members.splice(random.int(members.length), 1)
    await member!.close({ awaitTerminationMs: 1_000_000 })
    scene.broker.notifyChanged('g')
  }
  /** Time passes, not faster than messages travel. */
  const pass = async (tenths: number) => {
    for (let i = 0; i < tenths; i++) {
      scene.clock.advance(100)
      await settle(10)
    }
  }
  await join()
  for (let step = 0; step < steps; step++) {
    const choice = random.int(12)
    if (choice === 0 && members.length < 4) await join()
    else if (choice === 1 && members.length > 1) await leave()
    else if (choice < 8) {
      const queueId = random.int(queues)
      for (let i = random.int(20); i >= 0; i--) sent.push(`orders ${queueId} ${scene.broker.put('orders', queueId)}`)
    } else {
      await pass(random.int(30))
    }
    await settle(random.int(30))
    assertOffsets()
  }
  for (let round = 0; round < 2000 && finished.size < sent.length; round++) {
    await pass(1)
  }
  assertOffsets()
  assert.deepEqual(
    sent.filter(id => !finished.has(id)),
    [],
    `seed ${seed}: lost`,
  )
  return [...finished].filter(([, count]) => count > 1).map(([id]) => id)
}

for (let seed = 1; seed <= 12; seed++) {
  test(`members come and go, pulls fail: no message is lost or handled twice, seed ${seed}`, async () => {
    assert.deepEqual(await simulate(seed, [RequestCode.PULL_MESSAGE]), [])
  })
}

for (let seed = 101; seed <= 106; seed++) {
  test(`members come and go, any request may fail: no message is lost, seed ${seed}`, async () => {
    const { PULL_MESSAGE, GET_CONSUMER_LIST_BY_GROUP, QUERY_CONSUMER_OFFSET, HEART_BEAT } = RequestCode
    await simulate(seed, [PULL_MESSAGE, GET_CONSUMER_LIST_BY_GROUP, QUERY_CONSUMER_OFFSET, HEART_BEAT])
  })
}
