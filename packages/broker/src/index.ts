/** The broker: one module per capability over the store. */
export { type Broker, type BrokerDeps, startBroker } from './broker.ts'
export type { BrokerState } from './broker-state.ts'
export { BrokerConfiguration } from './options/configuration.ts'
export {
  type BrokerConf,
  type BrokerOptionName,
  type BrokerOptions,
  brokerOptionTable,
  createBrokerOptions,
  readBrokerConf,
  type UnknownKey,
} from './options.ts'
