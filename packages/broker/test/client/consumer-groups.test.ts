import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildSubscription } from '@rocketmq-ts/model'
import { silentLogger } from '@rocketmq-ts/runtime'
import type { ConsumerGroup } from '../../dist/client/consumer-group.js'
import { ConsumerGroups } from '../../dist/client/consumer-groups.js'
import { AdminClock } from '../support/admin-clock.js'
import { fakeConnection } from '../support/fake-connection.js'

const clustering = {
  consumeType: 'CONSUME_PASSIVELY',
  messageModel: 'CLUSTERING',
  consumeFromWhere: 'CONSUME_FROM_LAST_OFFSET',
}
const broadcasting = { ...clustering, messageModel: 'BROADCASTING' }

function create() {
  const clock = new AdminClock()
  const notified: string[] = []
  const groups = new ConsumerGroups(clock, silentLogger, {
    onMembersChanged: (group: ConsumerGroup) => notified.push(`${group.name}:${group.clientIds().join('+')}`),
  })
  return { clock, groups, notified }
}

function client(id: number) {
  return { connection: fakeConnection(id), clientId: `c${id}`, language: 'JAVA', version: 479 }
}

const subscription = (topic: string, version = 1) => buildSubscription(topic, '*', 'TAG', version)

test('the members are told when one comes, and not when its heartbeat only repeats', () => {
  const { groups, notified } = create()
  const c1 = client(1)
  assert.equal(groups.register('G', c1, clustering, [subscription('T')], true), true)
  assert.equal(groups.register('G', c1, clustering, [subscription('T')], true), false)
  groups.register('G', client(2), clustering, [subscription('T')], true)
  assert.deepEqual(notified, ['G:c1', 'G:c1+c2'])
})

test('a newer subscription of the same topic replaces the old one without a word; an older one is ignored', () => {
  const { groups, notified } = create()
  const c1 = client(1)
  groups.register('G', c1, clustering, [buildSubscription('T', 'A', 'TAG', 2)], true)
  groups.register('G', c1, clustering, [buildSubscription('T', 'B', 'TAG', 3)], true)
  groups.register('G', c1, clustering, [buildSubscription('T', 'C', 'TAG', 1)], true)
  assert.equal(groups.get('G')!.subscriptionOf('T')!.data.subString, 'B')
  assert.equal(notified.length, 1)
})

test('topics that a heartbeat leaves out are gone for the whole group', () => {
  const { groups, notified } = create()
  groups.register('G', client(1), clustering, [subscription('T'), subscription('U')], true)
  groups.register('G', client(1), clustering, [subscription('U')], true)
  assert.equal(groups.get('G')!.subscriptionOf('T'), undefined)
  assert.deepEqual(groups.groupsOf('U'), ['G'])
  assert.equal(notified.length, 2)
})

test('the short heartbeat keeps the subscriptions as they are', () => {
  const { groups } = create()
  const c1 = client(1)
  groups.register('G', c1, clustering, [subscription('T')], true)
  assert.equal(groups.register('G', c1, clustering, undefined, true), false)
  assert.notEqual(groups.get('G')!.subscriptionOf('T'), undefined)
})

test('who leaves, or loses its connection, is gone, and the others are told', () => {
  const { groups, notified } = create()
  const [c1, c2, c3] = [client(1), client(2), client(3)]
  for (const member of [c1, c2, c3]) groups.register('G', member, clustering, [subscription('T')], true)
  notified.length = 0
  groups.unregister('G', c1.connection, true)
  groups.connectionClosed(c2.connection)
  assert.deepEqual(notified, ['G:c2+c3', 'G:c3'])
  groups.connectionClosed(c3.connection)
  assert.equal(groups.get('G'), undefined)
})

test('a broadcasting group has nothing to rebalance, so nobody is told', () => {
  const { groups, notified } = create()
  groups.register('G', client(1), broadcasting, [subscription('T')], true)
  assert.deepEqual(notified, [])
})

test('a client that is silent for two minutes is disconnected and forgotten', () => {
  const { clock, groups } = create()
  const [c1, c2] = [client(1), client(2)]
  groups.register('G', c1, clustering, [subscription('T')], true)
  clock.advance(60_000)
  groups.register('G', c2, clustering, [subscription('T')], true)
  clock.advance(60_001)
  groups.expire(120_000)
  assert.equal(c1.connection.closeReason, 'no heartbeat')
  assert.equal(c2.connection.closeReason, undefined)
  assert.deepEqual(groups.get('G')!.clientIds(), ['c2'])
})
