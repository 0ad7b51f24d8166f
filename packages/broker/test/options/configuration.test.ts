import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RocketMqError, silentLogger, systemClock } from '@rocketmq-ts/runtime'
import { BrokerConfiguration } from '../../dist/options/configuration.js'
import { createBrokerOptions } from '../../dist/options.js'

const clock = { ...systemClock, now: () => 1_700_000_000_000 }

function configuration(unknownEntries = new Map<string, string>()) {
  const options = createBrokerOptions({ brokerName: 'broker-a' })
  return new BrokerConfiguration({ options, unknownEntries, clock, logger: silentLogger })
}

test('all settings are printed sorted by key, those without a value left out, unknown ones of the file kept', () => {
  const lines = configuration(new Map([['metricOtelCardinalityLimit', '5']]))
    .text()
    .split('\n')
  assert.equal(lines.pop(), '')
  const keys = lines.map(line => line.slice(0, line.indexOf('=')))
  assert.deepEqual(keys, [...keys].sort())
  assert.ok(lines.includes('brokerName=broker-a'))
  assert.ok(lines.includes('metricOtelCardinalityLimit=5'))
  assert.ok(lines.includes('logicalDiskSpaceCleanForciblyThreshold=0.8'))
  assert.ok(!keys.includes('dLegerGroup'))
})

test('a value in effect is shown in place of the configured one until that is changed', () => {
  const subject = configuration()
  subject.options.brokerConfigPath = '/somewhere/broker.conf'
  subject.showEffective('listenPort', 12_345)
  const shown = () => subject.text().split('\n')
  assert.ok(shown().includes('listenPort=12345'))
  assert.equal(shown().filter(line => line.startsWith('listenPort=')).length, 1)
  assert.ok(!shown().some(line => line.startsWith('brokerConfigPath=')))
  subject.update('listenPort=1000')
  assert.ok(shown().includes('listenPort=1000'))
})

test('an update holds at once, counts the version and tells who listens', () => {
  const subject = configuration()
  const told: string[][] = []
  subject.onUpdate(names => told.push([...names]))
  subject.update('brokerPermission=4\nautoCreateTopicEnable=false\n')
  assert.equal(subject.options.brokerPermission, 4)
  assert.equal(subject.options.autoCreateTopicEnable, false)
  assert.equal(subject.version.counter, 1)
  assert.deepEqual(told, [['brokerPermission', 'autoCreateTopicEnable']])
})

test('a bad value or an unknown key leaves everything as it was', () => {
  const subject = configuration()
  for (const text of ['brokerPermission=4\nmaxMessageSize=big', 'brokerPermission=4\nbrokerPermision=4']) {
    assert.throws(
      () => subject.update(text),
      (error: unknown) => RocketMqError.is(error) && error.code === 'CONFIG_INVALID',
    )
  }
  assert.throws(() => subject.update('brokerPermision=4'), /did you mean brokerPermission\?/)
  assert.equal(subject.options.brokerPermission, 6)
  assert.equal(subject.version.counter, 0)
})

test('the black list holds the fixed keys and those of configBlackList', () => {
  const subject = configuration()
  for (const key of ['brokerConfigPath', 'rocketmqHome', 'configBlackList']) {
    assert.equal(subject.blackListedKey(`a=1\n${key}=x`), key)
  }
  assert.equal(subject.blackListedKey('brokerPermission=6'), undefined)
  subject.options.configBlackList = 'configBlackList;maxMessageSize'
  assert.equal(subject.blackListedKey('maxMessageSize=1'), 'maxMessageSize')
})
