import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultSubscriptionGroup } from '@rocketmq-ts/model'
import { RocketMqError, silentLogger } from '@rocketmq-ts/runtime'
import { type BrokerOptions, createBrokerOptions } from '../../dist/options.js'
import { SubscriptionGroupTable } from '../../dist/subscription/group-table.js'
import { AdminClock } from '../support/admin-clock.js'

function tableOf(overrides: Partial<BrokerOptions> = {}) {
  const options = createBrokerOptions(overrides)
  const groups = new SubscriptionGroupTable({ options, clock: new AdminClock(), logger: silentLogger })
  let changes = 0
  groups.onChange(() => changes++)
  return { groups, options, changeCount: () => changes }
}

test('a fresh broker has the groups of the system', () => {
  const names = Array.from(tableOf().groups.values(), group => group.groupName)
  assert.deepEqual(names.sort(), [
    'CID_ONS-HTTP-PROXY',
    'CID_ONSAPI_OWNER',
    'CID_ONSAPI_PERMISSION',
    'CID_ONSAPI_PULL',
    'CID_RMQ_SYS_TRANS',
    'FILTERSRV_CONSUMER',
    'SELF_TEST_C_GROUP',
    'TOOLS_CONSUMER',
  ])
})

test('an unknown group is created by its first use, with the defaults', () => {
  const { groups, changeCount } = tableOf()
  assert.deepEqual(groups.find('G'), defaultSubscriptionGroup('G'))
  groups.find('G')
  assert.equal(changeCount(), 1)
  assert.equal(groups.dataVersion.counter, 1)
})

test('without auto-creation only groups of the system are created', () => {
  const { groups, options } = tableOf({ autoCreateSubscriptionGroup: false })
  assert.equal(groups.find('G'), undefined)
  assert.notEqual(groups.find('CID_RMQ_SYS_X'), undefined)
  options.enableCreateSysGroup = false
  assert.equal(groups.find('CID_RMQ_SYS_Y'), undefined)
})

test('an illegal or overlong name creates no group', () => {
  const { groups } = tableOf()
  assert.equal(groups.find('a b'), undefined)
  assert.equal(groups.find('x'.repeat(256)), undefined)
  assert.notEqual(groups.find('x'.repeat(255)), undefined)
})

test('an update replaces a group; attributes, of which there are none, are refused', () => {
  const { groups } = tableOf()
  groups.update(defaultSubscriptionGroup('G', { retryMaxTimes: 3 }))
  assert.equal(groups.find('G')?.retryMaxTimes, 3)
  assert.throws(
    () => groups.update(defaultSubscriptionGroup('G', { attributes: { '+a': 'b' } })),
    (error: unknown) => RocketMqError.is(error) && /unsupported key: a/.test(error.message),
  )
  groups.disableConsume('G')
  assert.equal(groups.find('G')?.consumeEnable, false)
})

test('forbidding and allowing a topic leaves the other topics of the group alone', () => {
  const { groups, changeCount } = tableOf()
  groups.setForbidden('G', 'A', 2, true)
  groups.setForbidden('G', 'B', 2, true)
  groups.setForbidden('G', 'B', 2, true)
  assert.equal(groups.forbiddenBits('G', 'A'), 4)
  groups.setForbidden('G', 'A', 2, false)
  assert.equal(groups.isReadForbidden('G', 'A'), false)
  assert.equal(groups.isReadForbidden('G', 'B'), true)
  assert.equal(changeCount(), 3)
  assert.equal(groups.delete('G'), false)
  assert.equal(groups.isReadForbidden('G', 'B'), false)
})
