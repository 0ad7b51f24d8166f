import { RocketMqError } from '@rocketmq-ts/runtime'
import type { BrokerOptions } from '../options.ts'

/** Settings that ask for a broker of another kind, and the only value that this one starts with. */
const requiredValues = [
  ['enableDLegerCommitLog', false, 'a commit log kept by DLedger'],
  ['enableControllerMode', false, 'roles given by a controller'],
  ['storeType', 'default', 'a store in RocksDB'],
] as const

/**
 * What a starting broker makes of its settings, as Java's start-up does: a master has id 0, the length of the filter bit map
 * follows from the bloom filter's. Changes `options`. Throws `CONFIG_INVALID` naming the key for settings that contradict
 * each other, and for those that ask for what this broker has not, rather than starting as something else.
 * Source: BrokerStartup#buildBrokerController, ConsumerFilterManager, 5.3.x
 */
export function applyStartRules(options: BrokerOptions): void {
  for (const [name, value, what] of requiredValues) {
    if (options[name] !== value)
      throw invalid(name, `${name}=${options[name]} asks for ${what}, which this broker has not`)
  }
  if (options.brokerRole === 'SYNC_MASTER' && options.inSyncReplicas > 1) {
    const asked = `inSyncReplicas=${options.inSyncReplicas} asks for copies on slaves before a send is answered`
    throw invalid('inSyncReplicas', `${asked}, which this broker has not; with 1 it answers as Java's does by default`)
  }
  if (options.brokerRole === 'SLAVE') {
    if (options.brokerId <= 0)
      throw invalid('brokerId', `brokerId=${options.brokerId} is not above 0, as a slave's must be`)
  } else options.brokerId = 0
  options.bitMapLengthConsumeQueueExt = bloomFilterBits(
    options.maxErrorRateOfBloomFilter,
    options.expectConsumerNumUseFilter,
  )
}

/**
 * Bits of a bloom filter for `expected` entries of which `errorPercent` may be found wrongly, whole bytes.
 * Source: BloomFilter#createByFn, 5.3.x
 */
export function bloomFilterBits(errorPercent: number, expected: number): number {
  if (errorPercent < 1 || errorPercent >= 100) {
    throw invalid('maxErrorRateOfBloomFilter', `maxErrorRateOfBloomFilter=${errorPercent} is not 1 to 99`)
  }
  if (expected < 1)
    throw invalid('expectConsumerNumUseFilter', `expectConsumerNumUseFilter=${expected} is not 1 or more`)
  const bits = Math.ceil(expected * Math.log2(100 / errorPercent) * Math.LOG2E)
  return Math.ceil(bits / 8) * 8
}

function invalid(key: string, message: string): RocketMqError {
  return new RocketMqError('CONFIG_INVALID', message, { details: { key } })
}
