import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RocketMqError } from '@rocketmq-ts/runtime'
import { applyStartRules, bloomFilterBits } from '../../dist/options/start-rules.js'
import { type BrokerOptions, createBrokerOptions } from '../../dist/options.js'

function started(overrides: Partial<BrokerOptions>): BrokerOptions {
  const options = createBrokerOptions(overrides)
  applyStartRules(options)
  return options
}

const refuses = (overrides: Partial<BrokerOptions>, key: string) =>
  assert.throws(
    () => started(overrides),
    (error: unknown) => RocketMqError.is(error) && error.code === 'CONFIG_INVALID' && error.details.key === key,
  )

test('a master has id 0 whatever the file says, a slave needs one above', () => {
  assert.equal(started({ brokerId: 5 }).brokerId, 0)
  assert.equal(started({ brokerRole: 'SLAVE', brokerId: 2 }).brokerId, 2)
  refuses({ brokerRole: 'SLAVE' }, 'brokerId')
})

test('a broker of a kind that this one is not does not start', () => {
  refuses({ enableDLegerCommitLog: true }, 'enableDLegerCommitLog')
  refuses({ enableControllerMode: true }, 'enableControllerMode')
  refuses({ storeType: 'defaultRocksDB' }, 'storeType')
})

test('a broker that is to wait for copies on slaves does not start; by default SYNC_MASTER waits for none, as in Java', () => {
  assert.equal(started({ brokerRole: 'SYNC_MASTER' }).brokerRole, 'SYNC_MASTER')
  refuses({ brokerRole: 'SYNC_MASTER', inSyncReplicas: 2 }, 'inSyncReplicas')
})

test("the filter bit map has the length of Java's bloom filter", () => {
  assert.equal(started({}).bitMapLengthConsumeQueueExt, 112)
  assert.equal(bloomFilterBits(1, 32), 312)
  refuses({ maxErrorRateOfBloomFilter: 0 }, 'maxErrorRateOfBloomFilter')
  refuses({ expectConsumerNumUseFilter: 0 }, 'expectConsumerNumUseFilter')
})
