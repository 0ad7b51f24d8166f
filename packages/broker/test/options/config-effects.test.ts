import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '@rocketmq-ts/runtime'
import { followConfigChanges } from '../../dist/options/config-effects.js'
import { BrokerConfiguration } from '../../dist/options/configuration.js'
import { createBrokerOptions } from '../../dist/options.js'
import type { Registrar } from '../../dist/registration/registrar.js'
import { TopicTable } from '../../dist/topic/topic-table.js'
import { AdminClock } from '../support/admin-clock.js'

function rig() {
  const deps = {
    options: createBrokerOptions({ autoCreateTopicEnable: false }),
    clock: new AdminClock(),
    logger: silentLogger,
  }
  const topics = new TopicTable(deps)
  const configuration = new BrokerConfiguration(deps)
  let registrations = 0
  const registrar = { registerNow: async () => void registrations++ } as unknown as Registrar
  followConfigChanges(configuration, { topics, registrar })
  return { topics, configuration, registrations: () => registrations }
}

test('a changed permission is registered under a new version of the topics', () => {
  const { topics, configuration, registrations } = rig()
  configuration.update('brokerPermission=4')
  assert.equal(registrations(), 1)
  assert.equal(topics.dataVersion.counter, 1)
})

test('a changed list of name servers is registered, other settings are not', () => {
  const { configuration, registrations } = rig()
  configuration.update('namesrvAddr=127.0.0.1:1')
  assert.equal(registrations(), 1)
  configuration.update('maxMessageSize=1000')
  assert.equal(registrations(), 1)
})

test('switching auto-creation on makes its topic at once', () => {
  const { topics, configuration, registrations } = rig()
  assert.equal(topics.get('TBW102'), undefined)
  configuration.update('autoCreateTopicEnable=true')
  assert.equal(topics.get('TBW102')?.perm, 7)
  assert.equal(topics.dataVersion.counter, 1)
  assert.equal(registrations(), 1)
})
