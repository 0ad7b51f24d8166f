import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '@rocketmq-ts/runtime'
import { PRODUCER_EXPIRY_MS, ProducerGroups } from '../../dist/client/producer-groups.js'
import { AdminClock } from '../support/admin-clock.js'
import { fakeConnection } from '../support/fake-connection.js'

function create() {
  const clock = new AdminClock()
  return { clock, producers: new ProducerGroups(clock, silentLogger) }
}

function client(id: number) {
  return { connection: fakeConnection(id), clientId: `c${id}`, language: 'JAVA', version: 479 }
}

test('producers are asked in turn', () => {
  const { producers } = create()
  const [c1, c2] = [client(1), client(2)]
  producers.register('P', c1)
  producers.register('P', c2)
  const asked = [producers.pick('P'), producers.pick('P'), producers.pick('P')].map(connection => connection!.id)
  assert.deepEqual(new Set(asked), new Set([1, 2]))
  assert.notEqual(asked[0], asked[1])
  assert.equal(producers.pick('Q'), undefined)
})

test('a producer whose connection is gone is nobody any more, in all its groups', () => {
  const { producers } = create()
  const c1 = client(1)
  producers.register('P', c1)
  producers.register('Q', c1)
  producers.connectionClosed(c1.connection)
  assert.equal(producers.membersOf('P'), undefined)
  assert.equal(producers.membersOf('Q'), undefined)
  assert.equal(producers.connectionOf('c1'), undefined)
})

test('a client id that came back on another connection stays reachable when the old connection goes', () => {
  const { producers } = create()
  const old = client(1)
  const renewed = { ...client(2), clientId: 'c1' }
  producers.register('P', old)
  producers.register('P', renewed)
  producers.connectionClosed(old.connection)
  assert.equal(producers.connectionOf('c1'), renewed.connection)
})

test('a producer that is silent for two minutes is disconnected', () => {
  const { clock, producers } = create()
  const c1 = client(1)
  producers.register('P', c1)
  clock.advance(PRODUCER_EXPIRY_MS)
  producers.expire()
  assert.equal(c1.connection.closeReason, undefined)
  clock.advance(1)
  producers.expire()
  assert.equal(c1.connection.closeReason, 'no heartbeat')
})
