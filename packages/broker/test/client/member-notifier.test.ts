import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestCode } from '@rocketmq-ts/protocol'
import { ConsumerGroup } from '../../dist/client/consumer-group.js'
import { MemberNotifier } from '../../dist/client/member-notifier.js'
import { AdminClock } from '../support/admin-clock.js'
import { fakeConnection } from '../support/fake-connection.js'

const profile = { consumeType: 'CONSUME_PASSIVELY', messageModel: 'CLUSTERING', consumeFromWhere: '' }

function groupOf(...connections: ReturnType<typeof fakeConnection>[]): ConsumerGroup {
  const group = new ConsumerGroup('G')
  for (const connection of connections) {
    group.addMember({ connection, clientId: `c${connection.id}`, language: 'JAVA', version: 479 }, profile, 0)
  }
  return group
}

test('each member gets the notice with the name of its group', () => {
  const [a, b] = [fakeConnection(1), fakeConnection(2)]
  const options = { notifyConsumerIdsChangedEnable: true, realTimeNotifyConsumerChange: true }
  new MemberNotifier(new AdminClock(), options).onMembersChanged(groupOf(a, b))
  for (const { oneways } of [a, b]) {
    assert.equal(oneways.length, 1)
    assert.equal(oneways[0]!.code, RequestCode.NOTIFY_CONSUMER_IDS_CHANGED)
    assert.deepEqual(oneways[0]!.extFields, { consumerGroup: 'G' })
  }
})

test('a member that cannot be written to keeps nobody else from hearing of it', () => {
  const [a, b] = [fakeConnection(1), fakeConnection(2)]
  a.sendOneway = () => {
    throw new Error('unsent bytes')
  }
  const options = { notifyConsumerIdsChangedEnable: true, realTimeNotifyConsumerChange: true }
  new MemberNotifier(new AdminClock(), options).onMembersChanged(groupOf(a, b))
  assert.equal(b.oneways.length, 1)
})

test('without real time, notices are collected and sent once', () => {
  const clock = new AdminClock()
  const a = fakeConnection(1)
  const options = { notifyConsumerIdsChangedEnable: true, realTimeNotifyConsumerChange: false }
  const notifier = new MemberNotifier(clock, options)
  const group = groupOf(a)
  notifier.onMembersChanged(group)
  notifier.onMembersChanged(group)
  assert.equal(a.oneways.length, 0)
  clock.advance(15_000)
  assert.equal(a.oneways.length, 1)
  notifier.close()
  assert.equal(clock.pendingTimers, 0)
})

test('a broker that is told to keep quiet notifies nobody', () => {
  const a = fakeConnection(1)
  const options = { notifyConsumerIdsChangedEnable: false, realTimeNotifyConsumerChange: true }
  new MemberNotifier(new AdminClock(), options).onMembersChanged(groupOf(a))
  assert.equal(a.oneways.length, 0)
})
