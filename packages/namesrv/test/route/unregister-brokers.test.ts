import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { audienceOf } from '../../dist/route/broker-set.js'
import { registerBroker } from '../../dist/route/register-broker.js'
import { deleteTopic, RouteTable, registerTopic } from '../../dist/route/route-table.js'
import { type BrokerDeparture, departureOf, unregisterBrokers } from '../../dist/route/unregister-brokers.js'
import { broker } from './brokers.ts'

const options = { deleteTopicWithBrokerRegistration: false }

function tableOf(...registrations: ReturnType<typeof broker>[]): RouteTable<string> {
  const table = new RouteTable<string>()
  for (const registration of registrations) registerBroker(table, registration, 0, options)
  return table
}

function departure(given: Parameters<typeof broker>[0] = {}): BrokerDeparture {
  const { clusterName, brokerAddr, brokerName, brokerId } = broker(given)
  return { clusterName, brokerAddr, brokerName, brokerId }
}

describe('a broker that leaves', () => {
  test('as the last of its name takes its topics, name and cluster along', () => {
    const table = tableOf(broker(), broker({ brokerName: 'broker-b', brokerAddr: '10.0.1.1:10911', clusterName: 'D' }))
    assert.deepEqual(unregisterBrokers(table, [departure()]), [])
    assert.deepEqual([...table.brokers.keys()], ['broker-b'])
    assert.deepEqual([...table.clusters.keys()], ['D'])
    assert.deepEqual([...table.topics.get('T1')!.keys()], ['broker-b'])
    assert.equal(table.alive.get('C', '10.0.0.1:10911'), undefined)
    unregisterBrokers(table, [departure({ brokerName: 'broker-b', brokerAddr: '10.0.1.1:10911', clusterName: 'D' })])
    assert.deepEqual([table.topics.size, table.brokers.size, table.clusters.size, table.alive.size], [0, 0, 0, 0])
  })

  test('as a master leaves topics that nobody may write to, where a slave stands in', () => {
    const acting = { enableActingMaster: true }
    const table = tableOf(broker(acting), broker({ ...acting, brokerId: 1 }), broker({ ...acting, brokerId: 2 }))
    const [change] = unregisterBrokers(table, [departure()])
    assert.equal(table.topics.get('T1')?.get('broker-a')?.perm, 4)
    assert.equal(change?.offlineBrokerAddr, '10.0.0.1:10911')
    assert.deepEqual(audienceOf(change!), ['10.0.0.2:10911', '10.0.0.3:10911'])
  })

  test('as a master where nobody stands in changes nothing else, and nobody is told', () => {
    const table = tableOf(broker(), broker({ brokerId: 1 }))
    assert.deepEqual(unregisterBrokers(table, [departure()]), [])
    assert.equal(table.topics.get('T1')?.get('broker-a')?.perm, 6)
  })

  test('as a slave leaves the master writable, and nobody is told', () => {
    const acting = { enableActingMaster: true }
    const table = tableOf(broker(acting), broker({ ...acting, brokerId: 1 }))
    assert.deepEqual(unregisterBrokers(table, [departure({ brokerId: 1 })]), [])
    assert.equal(table.topics.get('T1')?.get('broker-a')?.perm, 6)
  })

  test('together with all others of its name is no news', () => {
    const acting = { enableActingMaster: true }
    const table = tableOf(broker(acting), broker({ ...acting, brokerId: 1 }))
    assert.deepEqual(unregisterBrokers(table, [departure(), departure({ brokerId: 1 })]), [])
    assert.equal(table.topics.size, 0)
  })

  test('that nobody knows changes nothing', () => {
    const table = tableOf(broker())
    assert.deepEqual(unregisterBrokers(table, [departure({ brokerName: 'x', brokerAddr: 'y' })]), [])
    assert.equal(table.topics.size, 2)
  })

  test('is found by cluster and address alone', () => {
    const table = tableOf(broker(), broker({ brokerId: 1 }))
    assert.deepEqual(departureOf(table, broker({ brokerId: 1 })), departure({ brokerId: 1 }))
    assert.equal(departureOf(table, { clusterName: 'D', brokerAddr: '10.0.0.1:10911' }), undefined)
    assert.equal(departureOf(table, { clusterName: 'C', brokerAddr: 'x' }), undefined)
  })
})

describe('a topic', () => {
  const queues = (brokerName: string) => ({ brokerName, readQueueNums: 1, writeQueueNums: 1, perm: 6, topicSysFlag: 0 })

  test('is added without a registration for brokers that are known', () => {
    const table = tableOf(broker(), broker({ brokerName: 'broker-b', brokerAddr: '10.0.1.1:10911' }))
    registerTopic(table, 'New', [queues('broker-a'), queues('nobody')])
    assert.equal(table.topics.has('New'), false)
    registerTopic(table, 'New', [queues('broker-a')])
    registerTopic(table, 'New', [queues('broker-b'), queues('nobody'), queues('broker-a')])
    assert.deepEqual([...table.topics.get('New')!.keys()], ['broker-a', 'broker-b'])
    registerTopic(table, 'Empty', [])
    assert.equal(table.topics.has('Empty'), false)
  })

  test('is deleted everywhere, or from the brokers of a cluster', () => {
    const table = tableOf(broker(), broker({ brokerName: 'broker-b', brokerAddr: '10.0.1.1:10911', clusterName: 'D' }))
    deleteTopic(table, 'T1', 'D')
    assert.deepEqual([...table.topics.get('T1')!.keys()], ['broker-a'])
    deleteTopic(table, 'T1', 'unknown')
    deleteTopic(table, 'T1', 'C')
    assert.equal(table.topics.has('T1'), false)
    deleteTopic(table, 'T2', '')
    assert.equal(table.topics.has('T2'), false)
  })
})

test('whatever brokers do, no empty entry and no dangling name is left', () => {
  const action = fc.record({
    kind: fc.constantFrom('register', 'unregister', 'deleteTopic'),
    brokerName: fc.constantFrom('broker-a', 'broker-b'),
    brokerId: fc.nat(2),
    enableActingMaster: fc.option(fc.boolean(), { nil: undefined }),
    clusterName: fc.constantFrom('C', 'D'),
    counter: fc.nat(2),
  })
  fc.assert(
    fc.property(fc.array(action, { maxLength: 30 }), actions => {
      const table = new RouteTable<string>()
      for (const { kind, counter, ...given } of actions) {
        const brokerAddr = `${given.brokerName}-${given.brokerId}:10911`
        const registration = broker({ ...given, brokerAddr, dataVersion: { stateVersion: 0, timestamp: 0, counter } })
        if (kind === 'register') registerBroker(table, registration, 0, options)
        else if (kind === 'unregister') unregisterBrokers(table, [registration])
        else deleteTopic(table, 'T1', given.clusterName)
      }
      for (const byBroker of table.topics.values()) {
        assert.ok(byBroker.size > 0)
        for (const name of byBroker.keys()) assert.ok(table.brokers.has(name))
      }
      for (const set of table.brokers.values()) assert.ok(set.addresses.size > 0)
      for (const names of table.clusters.values()) {
        assert.ok(names.size > 0)
        for (const name of names) assert.ok(table.brokers.has(name))
      }
    }),
  )
})
