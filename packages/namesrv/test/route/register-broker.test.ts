import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { topicConfig } from '@rocketmq-ts/model'
import { audienceOf } from '../../dist/route/broker-set.js'
import { type BrokerRegistration, isBrokerChanged, registerBroker } from '../../dist/route/register-broker.js'
import { RouteTable, wipeWritePermission } from '../../dist/route/route-table.js'
import { topicRouteOf } from '../../dist/route/topic-route.js'
import { broker, mapping, nextVersion, topics } from './brokers.ts'

const options = { deleteTopicWithBrokerRegistration: false }

function register(table: RouteTable<string>, registration: BrokerRegistration<string>) {
  return registerBroker(table, registration, 0, options)
}

function registered(table: RouteTable<string>, registration: BrokerRegistration<string>) {
  const result = register(table, registration)
  assert.equal(result.status, 'registered')
  return result as Extract<typeof result, { status: 'registered' }>
}

function queuesOf(table: RouteTable<string>, topic: string, brokerName = 'broker-a') {
  return table.topics.get(topic)?.get(brokerName)
}

describe('a master that registers', () => {
  test('appears with its cluster, address and topics', () => {
    const table = new RouteTable<string>()
    const result = registered(table, broker())
    assert.deepEqual(result, {
      status: 'registered',
      masterAddr: undefined,
      haServerAddr: undefined,
      smallestIdChange: undefined,
    })
    assert.deepEqual([...table.clusters], [['C', new Set(['broker-a'])]])
    assert.deepEqual(table.brokers.get('broker-a')?.addresses, new Map([[0, '10.0.0.1:10911']]))
    assert.deepEqual(queuesOf(table, 'T1'), {
      brokerName: 'broker-a',
      readQueueNums: 4,
      writeQueueNums: 4,
      perm: 6,
      topicSysFlag: 0,
    })
    assert.equal(table.alive.get('C', '10.0.0.1:10911')?.haServerAddr, '10.0.0.1:10912')
  })

  test('again with the same version changes nothing, not even what it says differently', () => {
    const table = new RouteTable<string>()
    registered(table, broker())
    const { revision } = table
    registered(table, broker({ topics: topics(topicConfig('T1', { readQueueNums: 1 }), topicConfig('T2')) }))
    assert.equal(queuesOf(table, 'T1')?.readQueueNums, 4)
    assert.equal(table.revision, revision)
  })

  test('again with another version changes its topics, and keeps those it no longer names', () => {
    const table = new RouteTable<string>()
    registered(table, broker())
    registered(table, broker({ dataVersion: nextVersion, topics: topics(topicConfig('T1', { readQueueNums: 1 })) }))
    assert.equal(queuesOf(table, 'T1')?.readQueueNums, 1)
    assert.equal(queuesOf(table, 'T2')?.readQueueNums, 8)
  })

  test('loses the topics that it no longer names when the option says so', () => {
    const table = new RouteTable<string>()
    registered(table, broker())
    registered(table, broker({ brokerName: 'broker-b', brokerAddr: '10.0.1.1:10911' }))
    const fewer = broker({ dataVersion: nextVersion, topics: topics(topicConfig('T1'), topicConfig('T3')) })
    registerBroker(table, fewer, 0, { deleteTopicWithBrokerRegistration: true })
    assert.deepEqual([...table.topics.keys()].sort(), ['T1', 'T2', 'T3'])
    assert.equal(queuesOf(table, 'T2'), undefined)
    assert.notEqual(queuesOf(table, 'T2', 'broker-b'), undefined)
  })

  test('brings a deleted topic back, even with the same version', () => {
    const table = new RouteTable<string>()
    registered(table, broker({ mappings: new Map([['T1', mapping('T1', 'broker-a')]]) }))
    table.removeTopic('T1')
    assert.equal(table.mappings.size, 0)
    registered(table, broker({ mappings: new Map([['T1', mapping('T1', 'broker-a')]]) }))
    assert.equal(queuesOf(table, 'T1')?.readQueueNums, 4)
    assert.deepEqual(table.mappings.get('T1')?.get('broker-a')?.scope, '__global__')
  })

  test('keeps wiped permissions until its topics change', () => {
    const table = new RouteTable<string>()
    registered(table, broker())
    assert.equal(wipeWritePermission(table, 'broker-a'), 2)
    registered(table, broker())
    assert.equal(queuesOf(table, 'T1')?.perm, 4)
    registered(table, broker({ dataVersion: nextVersion }))
    assert.equal(queuesOf(table, 'T1')?.perm, 6)
  })

  test('with one topic only is refused as long as it is unknown, and leaves no trace', () => {
    const table = new RouteTable<string>()
    const single = broker({ topics: topics(topicConfig('T1')) })
    assert.deepEqual(register(table, single), { status: 'refused' })
    assert.deepEqual([table.brokers.size, table.clusters.size, table.alive.size], [0, 0, 0])
    registered(table, broker())
    registered(table, { ...single, dataVersion: nextVersion })
    assert.deepEqual(register(table, { ...single, brokerId: 1, brokerAddr: 'other:1' }), { status: 'refused' })
    assert.equal(table.brokers.get('broker-a')?.addresses.size, 1)
  })

  test('without any topic is accepted', () => {
    const table = new RouteTable<string>()
    registered(table, broker({ topics: new Map() }))
    assert.equal(table.brokers.size, 1)
  })
})

describe('an id that is claimed from another address', () => {
  const other = { brokerAddr: '10.0.9.9:10911' }

  test('stays with the holder whose state is newer; the newcomer is not told', () => {
    const table = new RouteTable<string>()
    registered(table, broker({ dataVersion: { stateVersion: 5, timestamp: 1, counter: 1 } }))
    const result = register(table, broker({ ...other, dataVersion: { stateVersion: 4, timestamp: 9, counter: 9 } }))
    assert.deepEqual(result, { status: 'ignored' })
    assert.equal(table.brokers.get('broker-a')?.addresses.get(0), '10.0.0.1:10911')
    assert.equal(table.alive.get('C', other.brokerAddr), undefined)
  })

  test('goes to the newcomer whose state is not older, or when the holder is not alive', () => {
    const table = new RouteTable<string>()
    registered(table, broker())
    registered(table, broker(other))
    assert.equal(table.brokers.get('broker-a')?.addresses.get(0), other.brokerAddr)
    table.alive.remove('C', other.brokerAddr)
    registered(table, broker({ dataVersion: { stateVersion: -1, timestamp: 0, counter: 0 } }))
    assert.equal(table.brokers.get('broker-a')?.addresses.get(0), '10.0.0.1:10911')
  })
})

describe('a slave that registers', () => {
  test('learns where its master is, and its topics are not taken', () => {
    const table = new RouteTable<string>()
    registered(table, broker())
    const result = registered(table, broker({ brokerId: 1, topics: topics(topicConfig('T9'), topicConfig('T8')) }))
    assert.deepEqual([result.masterAddr, result.haServerAddr], ['10.0.0.1:10911', '10.0.0.1:10912'])
    assert.equal(table.topics.has('T9'), false)
    assert.equal(table.brokers.get('broker-a')?.addresses.size, 2)
  })

  test('without a master gives its topics, not writable when it may stand in', () => {
    for (const [enableActingMaster, perm] of [
      [true, 4],
      [false, 6],
    ] as const) {
      const table = new RouteTable<string>()
      registered(table, broker({ brokerId: 2, enableActingMaster }))
      assert.equal(queuesOf(table, 'T1')?.perm, perm)
      registered(table, broker({ brokerId: 3, enableActingMaster, topics: topics(topicConfig('X'), topicConfig('Y')) }))
      assert.equal(table.topics.has('X'), false)
    }
  })

  test('of before 5.0 never gives topics', () => {
    const table = new RouteTable<string>()
    registered(table, broker({ brokerId: 1, enableActingMaster: undefined }))
    assert.equal(table.topics.size, 0)
  })

  test('as master under the same address leaves its old id', () => {
    const table = new RouteTable<string>()
    registered(table, broker({ brokerId: 1, enableActingMaster: true }))
    registered(
      table,
      broker({ brokerId: 0, brokerAddr: '10.0.0.2:10911', enableActingMaster: true, dataVersion: nextVersion }),
    )
    assert.deepEqual(table.brokers.get('broker-a')?.addresses, new Map([[0, '10.0.0.2:10911']]))
    assert.equal(queuesOf(table, 'T1')?.perm, 6)
  })

  test('with an id below all others is news for the others', () => {
    const table = new RouteTable<string>()
    assert.equal(registered(table, broker({ brokerId: 3 })).smallestIdChange, undefined)
    const change = registered(table, broker({ brokerId: 1 })).smallestIdChange
    assert.equal(change?.haBrokerAddr, '10.0.0.2:10912')
    assert.deepEqual(audienceOf(change!), ['10.0.0.4:10911'])
    assert.equal(registered(table, broker({ brokerId: 2 })).smallestIdChange, undefined)
  })
})

describe('the version of a broker', () => {
  test('counts as changed when it is unknown, absent or differs in any number', () => {
    const table = new RouteTable<string>()
    const { dataVersion, brokerAddr } = broker()
    assert.equal(isBrokerChanged(table, 'C', brokerAddr, dataVersion), true)
    registered(table, broker())
    assert.equal(isBrokerChanged(table, 'C', brokerAddr, { ...dataVersion }), false)
    assert.equal(isBrokerChanged(table, 'C', brokerAddr, undefined), true)
    for (const field of ['stateVersion', 'timestamp', 'counter']) {
      assert.equal(isBrokerChanged(table, 'C', brokerAddr, { ...dataVersion, [field]: 7 }), true)
    }
  })
})

test('filter servers of a broker are shown until it says that it has none', () => {
  const table = new RouteTable<string>()
  registered(table, broker({ filterServers: ['10.0.0.1:30000'] }))
  registered(table, broker({ filterServers: undefined }))
  const shown = () => topicRouteOf(table, 'T1', { supportActingMaster: false })?.filterServerTable
  assert.deepEqual(shown(), new Map([['10.0.0.1:10911', ['10.0.0.1:30000']]]))
  registered(table, broker({ filterServers: [] }))
  assert.deepEqual(shown(), new Map())
})
