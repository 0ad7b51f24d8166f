import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { topicConfig } from '@rocketmq-ts/model'
import { registerBroker } from '../../dist/route/register-broker.js'
import { RouteTable } from '../../dist/route/route-table.js'
import {
  allTopics,
  clusterInfoOf,
  membersOf,
  systemTopics,
  topicsOfCluster,
  unitSubscribedForeignTopics,
  unitSubscribedTopics,
  unitTopics,
} from '../../dist/route/topic-lists.js'
import { routeInZone, topicRouteOf } from '../../dist/route/topic-route.js'
import { unregisterBrokers } from '../../dist/route/unregister-brokers.js'
import { broker, mapping, topics } from './brokers.ts'

function tableOf(...registrations: ReturnType<typeof broker>[]): RouteTable<string> {
  const table = new RouteTable<string>()
  for (const registration of registrations) {
    registerBroker(table, registration, 0, { deleteTopicWithBrokerRegistration: false })
  }
  return table
}

const plain = { supportActingMaster: false }
const acting = { supportActingMaster: true }

describe('a route', () => {
  test('names brokers, queues and static queues', () => {
    const table = tableOf(
      broker({ mappings: new Map([['T1', mapping('T1', 'broker-a')]]), zoneName: 'z' }),
      broker({ brokerId: 1, zoneName: 'z' }),
    )
    assert.deepEqual(topicRouteOf(table, 'T1', plain), {
      queueDatas: [{ brokerName: 'broker-a', readQueueNums: 4, writeQueueNums: 4, perm: 6, topicSysFlag: 0 }],
      brokerDatas: [
        {
          cluster: 'C',
          brokerName: 'broker-a',
          brokerAddrs: new Map([
            [0, '10.0.0.1:10911'],
            [1, '10.0.0.2:10911'],
          ]),
          enableActingMaster: false,
          zoneName: 'z',
        },
      ],
      filterServerTable: new Map(),
      topicQueueMappingByBroker: new Map([['broker-a', mapping('T1', 'broker-a')]]),
    })
    assert.equal(topicRouteOf(table, 'T9', plain), undefined)
  })

  test('shows the slave that stands in as master, where the name server supports it and nobody can write', () => {
    const on = { enableActingMaster: true }
    const member = topics(topicConfig('T1'), topicConfig('rmq_sys_SYNC_BROKER_MEMBER_broker-a'))
    const table = tableOf(
      broker({ ...on, topics: member }),
      broker({ ...on, brokerId: 2 }),
      broker({ ...on, brokerId: 5 }),
    )
    const addresses = (topic: string, options: { supportActingMaster: boolean }) =>
      topicRouteOf(table, topic, options)?.brokerDatas[0]?.brokerAddrs
    assert.equal(addresses('T1', acting)?.size, 3)
    unregisterBrokers(table, [broker(on)])
    assert.deepEqual(
      addresses('T1', acting),
      new Map([
        [0, '10.0.0.3:10911'],
        [5, '10.0.0.6:10911'],
      ]),
    )
    assert.deepEqual(
      addresses('T1', plain),
      new Map([
        [2, '10.0.0.3:10911'],
        [5, '10.0.0.6:10911'],
      ]),
    )
    assert.deepEqual(addresses('rmq_sys_SYNC_BROKER_MEMBER_broker-a', acting)?.has(0), false)
    table.changePermissions('broker-a', () => 6)
    assert.equal(addresses('T1', acting)?.has(0), false)
  })

  test('shows no slave as master where slaves may not stand in', () => {
    const table = tableOf(broker({ brokerId: 1, topics: topics(topicConfig('T1', { perm: 4 }), topicConfig('T2')) }))
    assert.deepEqual(topicRouteOf(table, 'T1', acting)?.brokerDatas[0]?.brokerAddrs, new Map([[1, '10.0.0.2:10911']]))
  })

  test('in a zone leaves out brokers of other zones that have a master', () => {
    const at = (brokerName: string, brokerId: number, zoneName: string | undefined) =>
      broker({ brokerName, brokerId, zoneName, brokerAddr: `${brokerName}:1`, filterServers: ['f'] })
    const table = tableOf(
      at('near', 0, 'East'),
      at('far', 0, 'west'),
      at('none', 0, undefined),
      at('masterless', 1, 'west'),
    )
    table.putQueues('T1', { brokerName: 'masterless', readQueueNums: 1, writeQueueNums: 1, perm: 6, topicSysFlag: 0 })
    const route = routeInZone(topicRouteOf(table, 'T1', plain)!, 'eAST')
    assert.deepEqual(
      route.brokerDatas.map(data => data.brokerName),
      ['near', 'masterless'],
    )
    assert.deepEqual(
      route.queueDatas.map(data => data.brokerName),
      ['near', 'masterless'],
    )
    assert.deepEqual([...route.filterServerTable.keys()], ['near:1', 'masterless:1'])
  })
})

describe('lists', () => {
  const table = tableOf(
    broker({
      topics: topics(
        topicConfig('plain'),
        topicConfig('unit', { topicSysFlag: 1 }),
        topicConfig('subscribed', { topicSysFlag: 2 }),
        topicConfig('both', { topicSysFlag: 3 }),
      ),
    }),
    broker({ brokerName: 'broker-b', brokerAddr: '10.0.1.1:10911', clusterName: 'D' }),
  )

  test('of topics go by cluster and system flag', () => {
    assert.deepEqual(allTopics(table).topicList, ['plain', 'unit', 'subscribed', 'both', 'T1', 'T2'])
    assert.deepEqual(topicsOfCluster(table, 'D').topicList, ['T1', 'T2'])
    assert.deepEqual(topicsOfCluster(table, 'unknown').topicList, [])
    assert.deepEqual(unitTopics(table).topicList, ['unit', 'both'])
    assert.deepEqual(unitSubscribedTopics(table).topicList, ['subscribed', 'both'])
    assert.deepEqual(unitSubscribedForeignTopics(table).topicList, ['subscribed'])
  })

  test('of system topics name clusters and brokers, and one address', () => {
    assert.deepEqual(systemTopics(table), {
      topicList: ['C', 'broker-a', 'D', 'broker-b'],
      brokerAddr: '10.0.0.1:10911',
    })
    assert.deepEqual(systemTopics(new RouteTable<string>()), { topicList: [] })
  })

  test('of brokers show clusters and members', () => {
    const info = clusterInfoOf(table)
    assert.deepEqual(
      info.clusterAddrTable,
      new Map([
        ['C', ['broker-a']],
        ['D', ['broker-b']],
      ]),
    )
    assert.deepEqual([...info.brokerAddrTable.keys()], ['broker-a', 'broker-b'])
    assert.deepEqual(membersOf(table, 'C', 'broker-a').brokerAddrs, new Map([[0, '10.0.0.1:10911']]))
    assert.deepEqual(membersOf(table, 'C', 'unknown').brokerAddrs, new Map())
  })
})
