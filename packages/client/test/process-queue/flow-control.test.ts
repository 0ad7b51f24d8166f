import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type FlowLimits,
  flowReason,
  limitsForQueueCount,
  QueueTable,
  ReceivedMessage,
} from '@rocketmq-ts/client/internal'
import { batchAt } from '../support/records.ts'

const roomy: FlowLimits = { messagesPerQueue: 1000, bytesPerQueue: 1e9, span: 2000, bytesTotal: 1e9 }

function queueWith(offsets: number[]) {
  const table = new QueueTable()
  const queue = table.add({ topic: 'orders', brokerName: 'broker-a', queueId: 0 }, { nextOffset: 0, nowMs: 0 })
  queue.put(batchAt(offsets))
  return { table, queue }
}

test('a queue is held back above its message limit, not at it', () => {
  const { table, queue } = queueWith([0, 1, 2])
  assert.equal(flowReason(queue, table.ledger.bytes, { ...roomy, messagesPerQueue: 3 }), undefined)
  assert.equal(flowReason(queue, table.ledger.bytes, { ...roomy, messagesPerQueue: 2 }), 'messages')
})

test('a queue is held back above its byte limit', () => {
  const { table, queue } = queueWith([0, 1, 2])
  assert.equal(flowReason(queue, table.ledger.bytes, { ...roomy, bytesPerQueue: queue.retainedBytes }), undefined)
  assert.equal(flowReason(queue, table.ledger.bytes, { ...roomy, bytesPerQueue: queue.retainedBytes - 1 }), 'bytes')
})

test('one stuck message holds its queue back by the span, however few messages there are', () => {
  const { table, queue } = queueWith([0, 2001])
  assert.equal(flowReason(queue, table.ledger.bytes, roomy), 'span')
  queue.finish(queue.takeOne(ReceivedMessage)!)
  assert.equal(flowReason(queue, table.ledger.bytes, roomy), undefined)
})

test('the limit over all queues never holds back a queue that has nothing', () => {
  const { table, queue } = queueWith([0, 1])
  const idle = table.add({ topic: 'orders', brokerName: 'broker-a', queueId: 1 }, { nextOffset: 0, nowMs: 0 })
  const tight = { ...roomy, bytesTotal: table.ledger.bytes - 1 }
  assert.equal(flowReason(queue, table.ledger.bytes, tight), 'bytesTotal')
  assert.equal(flowReason(idle, table.ledger.bytes, tight), undefined)
})

test('a topic threshold is shared by all held queues, at least one message each', () => {
  const shared = limitsForQueueCount(roomy, { messagesPerTopic: 100, bytesPerTopic: -1 }, 8)
  assert.equal(shared.messagesPerQueue, 12)
  assert.equal(shared.bytesPerQueue, roomy.bytesPerQueue)
  assert.equal(limitsForQueueCount(roomy, { messagesPerTopic: 3, bytesPerTopic: -1 }, 8).messagesPerQueue, 1)
  assert.equal(limitsForQueueCount(roomy, { messagesPerTopic: 3, bytesPerTopic: -1 }, 0).messagesPerQueue, 1000)
})

test('removing a queue from the table drops it and gives its bytes back', () => {
  const { table, queue } = queueWith([0, 1])
  assert.equal(table.remove(queue), true)
  assert.equal(queue.dropped, true)
  assert.equal(table.ledger.bytes, 0)
  assert.equal(table.remove(queue), false)
})
