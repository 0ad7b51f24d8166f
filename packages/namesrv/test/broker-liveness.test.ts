import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BrokerLiveness } from '../dist/broker-liveness.js'

const live = (brokerAddr: string, timeoutMs: number, connection = brokerAddr) => ({
  clusterName: 'C',
  brokerAddr,
  haServerAddr: 'h:1',
  dataVersion: { stateVersion: 0, timestamp: 0, counter: 0 },
  timeoutMs,
  connection,
  lastSeenMs: 1_000,
})

test('a broker expires when it has been silent for longer than it may, each by its own time', () => {
  const liveness = new BrokerLiveness<string>()
  liveness.put(live('a', 100))
  liveness.put(live('b', 500))
  const expired = (nowMs: number) => liveness.expired(nowMs).map(broker => broker.brokerAddr)
  assert.deepEqual(expired(1_100), [])
  assert.deepEqual(expired(1_101), ['a'])
  assert.equal(liveness.touch('C', 'a', 1_300), true)
  assert.deepEqual(expired(1_400), [])
  assert.deepEqual(expired(1_501), ['a', 'b'])
})

test('brokers are found by cluster and address, and by connection', () => {
  const liveness = new BrokerLiveness<string>()
  liveness.put(live('a', 1, 'x'))
  liveness.put(live('b', 1, 'x'))
  liveness.put(live('c', 1, 'y'))
  assert.deepEqual(
    liveness.over('x').map(broker => broker.brokerAddr),
    ['a', 'b'],
  )
  liveness.put(live('a', 1, 'y'))
  assert.deepEqual(
    liveness.over('x').map(broker => broker.brokerAddr),
    ['b'],
  )
  assert.equal(liveness.get('D', 'a'), undefined)
  assert.equal(liveness.touch('D', 'a', 5), false)
  assert.equal(liveness.remove('C', 'a')?.connection, 'y')
  assert.equal(liveness.remove('C', 'a'), undefined)
  assert.equal(liveness.size, 2)
})
