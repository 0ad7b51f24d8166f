import { RocketMqError } from '@rocketmq-ts/runtime'
import { flag, int, type OptionDefinition, type OptionsOf, text } from './option-definition.ts'

/**
 * Every setting of the name server process by our name, with Java's key: its own (`NamesrvConfig`) and those of its
 * network server (`NettyServerConfig`). An inert one is accepted and shown because Java has it; nothing here reads it.
 */
export const namesrvOptionTable = {
  rocketmqHome: text('rocketmqHome', '', 'Installation directory.', { isInert: true }),
  kvConfigPath: text('kvConfigPath', '', 'File of the key-value configuration; empty: kept in memory only.'),
  configStorePath: text('configStorePath', '', 'File that changed settings are written to; empty: not kept.'),
  productEnvName: text('productEnvName', 'center', 'Name of the environment that clusterTest asks.', { isInert: true }),
  clusterTest: flag('clusterTest', false, 'Ask other name servers for unknown topics.', { isInert: true }),
  orderMessageEnable: flag('orderMessageEnable', false, 'Add the order of an ordered topic to its route.'),
  returnOrderTopicConfigToBroker: flag(
    'returnOrderTopicConfigToBroker',
    true,
    'Answer a registration with the orders of all ordered topics.',
  ),
  clientRequestThreadPoolNums: int('clientRequestThreadPoolNums', 8, 'Threads of route requests.', { isInert: true }),
  defaultThreadPoolNums: int('defaultThreadPoolNums', 16, 'Threads of other requests.', { isInert: true }),
  clientRequestThreadPoolQueueCapacity: int('clientRequestThreadPoolQueueCapacity', 50_000, 'Waiting route requests.', {
    isInert: true,
  }),
  defaultThreadPoolQueueCapacity: int('defaultThreadPoolQueueCapacity', 10_000, 'Other waiting requests.', {
    isInert: true,
  }),
  scanNotActiveBrokerIntervalMs: int('scanNotActiveBrokerInterval', 5_000, 'ms between looks for silent brokers.', {
    min: 1,
  }),
  unregisterQueueCapacity: int('unRegisterBrokerQueueCapacity', 3_000, 'Waiting unregistrations; full: code 1.', {
    min: 1,
  }),
  supportActingMaster: flag('supportActingMaster', false, 'Show a slave that stands in for its master as the master.'),
  enableAllTopicList: flag('enableAllTopicList', true, 'Answer requests for all topics.'),
  enableTopicList: flag('enableTopicList', true, 'Answer requests for the topics of a cluster or unit.'),
  notifyMinBrokerIdChanged: flag(
    'notifyMinBrokerIdChanged',
    false,
    'Tell brokers when the smallest id of a set changes.',
  ),
  enableControllerInNamesrv: flag('enableControllerInNamesrv', false, 'Run a controller inside.', { isInert: true }),
  needWaitForService: flag('needWaitForService', false, 'Refuse route requests for a while after the start.'),
  waitSecondsForService: int('waitSecondsForService', 45, 'How long, in seconds.', { min: 0 }),
  deleteTopicWithBrokerRegistration: flag(
    'deleteTopicWithBrokerRegistration',
    false,
    'Drop topics that a broker no longer registers.',
  ),
  configBlackList: text(
    'configBlackList',
    'configBlackList;configStorePath;kvConfigPath',
    'Keys that cannot be changed at run time, ; separated.',
  ),
  bindAddress: text('bindAddress', '0.0.0.0', 'Address to listen on.'),
  listenPort: int('listenPort', 9_876, 'Port to listen on; 0: a free one.', { min: 0, max: 65_535 }),
  serverChannelMaxIdleTimeSeconds: int(
    'serverChannelMaxIdleTimeSeconds',
    120,
    'Close connections silent for so long.',
    {
      min: 1,
    },
  ),
  enableShutdownGracefully: flag('enableShutdownGracefully', false, 'Send clients away before stopping.'),
  shutdownWaitTimeSeconds: int('shutdownWaitTimeSeconds', 30, 'How long they get for it.', { min: 0 }),
  serverWorkerThreads: int('serverWorkerThreads', 8, 'Worker threads.', { isInert: true }),
  serverCallbackExecutorThreads: int('serverCallbackExecutorThreads', 0, 'Callback threads.', { isInert: true }),
  serverSelectorThreads: int('serverSelectorThreads', 3, 'Selector threads.', { isInert: true }),
  serverOnewaySemaphoreValue: int('serverOnewaySemaphoreValue', 256, 'Oneway calls to clients.', { isInert: true }),
  serverAsyncSemaphoreValue: int('serverAsyncSemaphoreValue', 64, 'Calls to clients in flight.', { isInert: true }),
  serverSocketSndBufSize: int('serverSocketSndBufSize', 0, 'Send buffer of sockets.', { isInert: true }),
  serverSocketRcvBufSize: int('serverSocketRcvBufSize', 0, 'Receive buffer of sockets.', { isInert: true }),
  writeBufferHighWaterMark: int('writeBufferHighWaterMark', 0, 'Upper mark of write buffers.', { isInert: true }),
  writeBufferLowWaterMark: int('writeBufferLowWaterMark', 0, 'Lower mark of write buffers.', { isInert: true }),
  serverSocketBacklog: int('serverSocketBacklog', 1_024, 'Connections waiting to be accepted.', { isInert: true }),
  serverNettyWorkerGroupEnable: flag('serverNettyWorkerGroupEnable', true, 'Separate worker group.', { isInert: true }),
  serverPooledByteBufAllocatorEnable: flag('serverPooledByteBufAllocatorEnable', true, 'Pooled buffers.', {
    isInert: true,
  }),
  useEpollNativeSelector: flag('useEpollNativeSelector', false, 'Native selector.', { isInert: true }),
} satisfies Record<string, OptionDefinition<string | number | boolean>>

/** The settings of one name server, all present. Live: UPDATE_NAMESRV_CONFIG assigns to its fields. */
export type NamesrvOptions = OptionsOf<typeof namesrvOptionTable>
export type NamesrvOptionName = keyof NamesrvOptions

type AnyOption = OptionDefinition<string | number | boolean>
const table: Record<string, AnyOption> = namesrvOptionTable
const namesByKey = new Map(Object.entries(table).map(([name, { key }]) => [key, name as NamesrvOptionName]))

/** Our name of a Java key; undefined when no setting has it. */
export function optionNameOfKey(key: string): NamesrvOptionName | undefined {
  return namesByKey.get(key)
}

/** All settings: the defaults, and `given` over them. Throws `CONFIG_INVALID` naming an unknown name or a bad value. */
export function namesrvOptions(given: Partial<NamesrvOptions> = {}): NamesrvOptions {
  const options: Record<string, string | number | boolean> = {}
  for (const [name, definition] of Object.entries(table)) options[name] = definition.defaultValue
  for (const [name, value] of Object.entries(given)) {
    const definition = Object.hasOwn(table, name) ? table[name] : undefined
    if (definition === undefined) throw new RocketMqError('CONFIG_INVALID', `the name server has no setting ${name}`)
    if (value !== undefined) options[name] = definition.check(value)
  }
  return options as NamesrvOptions
}

/** What a configuration file says. */
export interface NamesrvConf {
  readonly options: Partial<NamesrvOptions>
  /** Keys that no setting has; Java ignores them, too. */
  readonly unknownKeys: readonly string[]
}

/** Reads the entries of a configuration file. Throws `CONFIG_INVALID` naming the key of a bad value. */
export function namesrvConfOf(entries: Iterable<readonly [string, string]>): NamesrvConf {
  const options: Record<string, string | number | boolean> = {}
  const unknownKeys: string[] = []
  for (const [key, value] of entries) {
    const name = namesByKey.get(key)
    if (name === undefined) unknownKeys.push(key)
    else options[name] = table[name]!.parse(value)
  }
  return { options: options as Partial<NamesrvOptions>, unknownKeys }
}

/** Java keys and values of all settings. */
export function optionEntries(options: NamesrvOptions): [string, string][] {
  return Object.entries(table).map(([name, { key }]) => [key, String(options[name as NamesrvOptionName])])
}
