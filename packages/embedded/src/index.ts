/** A name server and a broker inside this process: startRocketMQ() for tests, startStandalone() for the command. */
export type { BrokerOptions } from '@rocketmq-ts/broker'
export { fileSizesFor } from './data-directory.ts'
export {
  type Standalone,
  type StandaloneOptions,
  standaloneBrokerConfig,
  startStandalone,
} from './standalone.ts'
export { type RocketMQ, type RocketMQOptions, startRocketMQ } from './start-rocketmq.ts'
