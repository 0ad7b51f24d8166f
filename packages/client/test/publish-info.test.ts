import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TopicRouteData } from '@rocketmq-ts/protocol'
import { publishQueuesOf, staticTopicEndpoints, subscribeQueuesOf } from '../dist/publish-info.js'

function routeOf(
  queues: [brokerName: string, readQueueNums: number, writeQueueNums: number, perm: number][],
  brokers: [brokerName: string, ids: number[]][],
  more: Partial<TopicRouteData> = {},
): TopicRouteData {
  return {
    queueDatas: queues.map(([brokerName, readQueueNums, writeQueueNums, perm]) => ({
      brokerName,
      readQueueNums,
      writeQueueNums,
      perm,
      topicSysFlag: 0,
    })),
    brokerDatas: brokers.map(([brokerName, ids]) => ({
      cluster: 'c',
      brokerName,
      brokerAddrs: new Map(ids.map(id => [id, `10.0.0.${id}:10911`])),
      enableActingMaster: false,
    })),
    filterServerTable: new Map(),
    ...more,
  }
}
const short = (queues: readonly { brokerName: string; queueId: number }[]) =>
  queues.map(q => `${q.brokerName}-${q.queueId}`)

test('queues to send to are the write queues of writable brokers with a master, by broker name', () => {
  const route = routeOf(
    [
      ['b', 1, 2, 6],
      ['a', 3, 1, 2],
      ['readonly', 2, 2, 4],
      ['masterless', 2, 2, 6],
    ],
    [
      ['a', [0]],
      ['b', [0, 1]],
      ['readonly', [0]],
      ['masterless', [1]],
    ],
  )
  assert.deepEqual(short(publishQueuesOf('T', route).queues), ['a-0', 'b-0', 'b-1'])
})

test('queues to read are the read queues of readable brokers, master or not', () => {
  const route = routeOf(
    [
      ['b', 1, 2, 4],
      ['a', 2, 1, 6],
      ['writeonly', 2, 2, 2],
    ],
    [
      ['a', [1]],
      ['b', [0]],
    ],
  )
  assert.deepEqual(short(subscribeQueuesOf('T', route)), ['a-0', 'a-1', 'b-0'])
})

test('an order configuration fixes the queues to send to', () => {
  const route = routeOf([['b1', 8, 8, 6]], [['b1', [0]]], { orderTopicConf: 'b1:2;b2:1;odd' })
  const { queues, isOrderTopic } = publishQueuesOf('T', route)
  assert.equal(isOrderTopic, true)
  assert.deepEqual(short(queues), ['b1-0', 'b1-1', 'b2-0'])
})

test('a static topic has logical queues, held by whom the newest mapping names', () => {
  const mapping = (bname: string, epoch: number, ids: number[]) => ({
    topic: 'T',
    scope: '__global__',
    totalQueues: 4,
    bname,
    epoch,
    dirty: false,
    currIdMap: new Map(ids.map(id => [id, 0])),
  })
  const topicQueueMappingByBroker = new Map([
    ['b1', mapping('b1', 1, [0, 1])],
    ['b2', mapping('b2', 2, [1, 2])],
  ])
  const route = routeOf([['b1', 2, 2, 6]], [['b1', [0]]], { topicQueueMappingByBroker })
  assert.deepEqual(
    short(publishQueuesOf('T', route).queues),
    [0, 1, 2, 3].map(id => `__syslo__global__-${id}`),
  )
  assert.deepEqual(short(subscribeQueuesOf('T', route)), short(publishQueuesOf('T', route).queues))
  const holders = [...staticTopicEndpoints('T', route).values()].map(endpoint => endpoint.brokerName)
  assert.deepEqual(holders, ['b1', 'b2', 'b2', '__syslo__none__'])
})
