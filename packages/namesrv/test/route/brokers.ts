import { type TopicConfig, topicConfig } from '@rocketmq-ts/model'
import type { TopicQueueMappingInfo } from '@rocketmq-ts/protocol'
import type { BrokerRegistration } from '../../dist/route/register-broker.js'

/** Topics by name, with Java's defaults where nothing is given. */
export function topics(...configs: TopicConfig[]): ReadonlyMap<string, TopicConfig> {
  return new Map(configs.map(config => [config.topicName, config]))
}

const twoTopics = topics(
  topicConfig('T1', { readQueueNums: 4, writeQueueNums: 4 }),
  topicConfig('T2', { readQueueNums: 8, writeQueueNums: 8 }),
)

/** The registration of broker-a's master with two topics, and whatever is given instead. */
export function broker(given: Partial<BrokerRegistration<string>> = {}): BrokerRegistration<string> {
  const brokerId = given.brokerId ?? 0
  return {
    clusterName: 'C',
    brokerName: 'broker-a',
    brokerId,
    brokerAddr: `10.0.0.${brokerId + 1}:10911`,
    haServerAddr: `10.0.0.${brokerId + 1}:10912`,
    zoneName: undefined,
    timeoutMs: undefined,
    enableActingMaster: false,
    dataVersion: { stateVersion: 0, timestamp: 1, counter: 1 },
    topics: twoTopics,
    mappings: new Map(),
    filterServers: [],
    connection: `connection of ${given.brokerName ?? 'broker-a'} ${brokerId}`,
    ...given,
  }
}

/** The next version of a broker's topics. */
export const nextVersion = { stateVersion: 0, timestamp: 2, counter: 2 }

/** The part of a static topic that `bname` holds. */
export function mapping(topic: string, bname: string): TopicQueueMappingInfo {
  return { topic, bname, scope: '__global__', totalQueues: 2, epoch: 1, dirty: false, currIdMap: new Map([[0, 0]]) }
}
