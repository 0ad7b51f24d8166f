import { BrokerConfiguration, type BrokerOptions, createBrokerOptions, startBroker } from '@rocketmq-ts/broker/internal'
import { splitAddress } from '@rocketmq-ts/remoting'
import {
  BackedUpFile,
  nodeNetwork,
  type OwnedLogger,
  RocketMqError,
  silentLogger,
  systemClock,
  systemRandom,
} from '@rocketmq-ts/runtime'
import { Command } from 'commander'
import { addLogFlags, type LogFlags, loggerOf } from '../logging.ts'
import type { ProgramIo } from '../program-io.ts'
import { runUntilStopped } from '../service-run.ts'
import { type BrokerSettings, loadBrokerSettings } from '../settings/broker-settings.ts'
import { readEnvironment } from '../settings/environment.ts'
import { loadTlsSettings } from '../settings/tls.ts'

interface BrokerFlags extends LogFlags {
  readonly configFile?: string
  readonly namesrvAddr?: string
  readonly printConfigItem?: boolean
  readonly printImportantConfig?: boolean
  readonly tlsConfig?: string
}

/** What `-m` prints. Source: @ImportantField of BrokerIdentity, BrokerConfig and MessageStoreConfig, 5.3.x */
const importantKeys = new Set(
  `accessMessageInMemoryMaxRatio aclEnable allAckInSyncStateSet autoCreateSubscriptionGroup autoCreateTopicEnable
   brokerClusterName brokerIP1 brokerIP2 brokerId brokerName brokerRole cleanFileForciblyEnable commitIntervalCommitLog
   deleteFileBatchMax deleteWhen disappearTimeAfterStart diskMaxUsedSpaceRatio dispatchFromSenderThread
   enableAutoInSyncReplicas enableCleanExpiredOffset fetchNameSrvAddrByDnsLookup fetchNamesrvAddrByAddressServer
   fileReservedTime flushCommitLogTimed flushDiskType flushIntervalCommitLog haFlowControlEnable haListenPort
   haMasterAddress haMaxGapNotInSync inSyncReplicas listenPort maxHashSlotNum maxTransferBytesOnMessageInDisk
   maxTransferBytesOnMessageInMemory maxTransferCountOnMessageInDisk maxTransferCountOnMessageInMemory messageIndexEnable
   messageIndexSafe messageStorePlugIn minInSyncReplicas msgTraceTopicName namesrvAddr recoverConcurrently
   rejectTransactionMessage storePathBrokerIdentity storePathCommitLog storePathDLedgerCommitLog storePathEpochFile
   storePathRootDir storeType totalReplicas traceTopicEnable transactionCheckInterval transactionCheckMax
   transactionTimeOut transientStorePoolEnable transientStorePoolSize wakeCommitWhenPutMessage wakeFlushWhenPutMessage
   warmMapedFileEnable`.split(/\s+/),
)

/** `rocketmq broker`, also known as `mqbroker`: one broker, with the flags and keys of Java's. */
export function brokerCommand(io: ProgramIo, name = 'broker'): Command {
  const command = new Command(name)
    .description('A broker: takes messages, keeps them, hands them out.')
    .option('-c, --configFile <file>', 'broker.conf, with the keys of the Java broker')
    .option('-n, --namesrvAddr <addresses>', 'name servers, host:port separated by ";" (default: NAMESRV_ADDR)')
    .option('-p, --printConfigItem', 'print all settings and exit')
    .option('-m, --printImportantConfig', 'print the important settings and exit')
    .option('--tls-config <file>', 'tls.properties, with the keys of Java')
  return addLogFlags(command, 'info').action(async (flags: BrokerFlags) => {
    const settings = loadBrokerSettings(io, flags.configFile)
    const options = effectiveOptions(io, settings, flags)
    if (flags.printConfigItem || flags.printImportantConfig) printSettings(io, settings, options, flags)
    else await runBroker(io, settings, options, flags)
  })
}

/** Command line over file over environment over defaults. */
function effectiveOptions(io: ProgramIo, settings: BrokerSettings, flags: BrokerFlags): BrokerOptions {
  const environment = readEnvironment(io.environment)
  const namesrvAddr = flags.namesrvAddr ?? settings.options.nameServers ?? environment.nameServers
  if (namesrvAddr !== undefined) checkNameServers(namesrvAddr)
  return createBrokerOptions({
    ...(environment.home === undefined ? {} : { rocketmqHome: environment.home }),
    ...settings.options,
    ...(namesrvAddr === undefined ? {} : { nameServers: namesrvAddr }),
  })
}

function checkNameServers(addresses: string): void {
  for (const address of addresses.split(';')) {
    if (splitAddress(address.trim()) !== undefined) continue
    throw new RocketMqError(
      'CONFIG_INVALID',
      `the name server address "${address}" is no host:port; write it like "127.0.0.1:9876;192.168.0.1:9876"`,
      { details: { key: 'namesrvAddr' } },
    )
  }
}

function printSettings(io: ProgramIo, settings: BrokerSettings, options: BrokerOptions, flags: BrokerFlags): void {
  const { unknownEntries } = settings
  const configuration = new BrokerConfiguration({ options, unknownEntries, clock: systemClock, logger: silentLogger })
  for (const line of configuration.text().trimEnd().split('\n')) {
    if (flags.printConfigItem || importantKeys.has(line.slice(0, line.indexOf('=')))) io.out(line)
  }
}

async function runBroker(
  io: ProgramIo,
  settings: BrokerSettings,
  options: BrokerOptions,
  flags: BrokerFlags,
): Promise<void> {
  const { systemProperties } = readEnvironment(io.environment)
  const tls = loadTlsSettings({
    disk: io.disk,
    systemProperties,
    configEntries: settings.tlsEntries,
    file: flags.tlsConfig,
  })
  const logger = loggerOf(flags, options.brokerName)
  try {
    await runUntilStopped(io, async () => {
      const broker = await startBroker({
        network: nodeNetwork,
        clock: systemClock,
        random: systemRandom,
        disk: io.disk,
        logger,
        options,
        configuration: configurationOf(io, settings, options, logger),
        tls: tls.server,
        clientTls: tls.client ?? (options.useTls ? {} : undefined),
      })
      // As with Java, clients find the broker once the line is out, provided that there is a name server at all.
      await broker.registered
      const nameServers = options.nameServers === undefined ? '' : ` and name server is ${options.nameServers}`
      io.out(`The broker[${options.brokerName}, ${broker.address}] boot success. serializeType=JSON${nameServers}`)
      return broker
    })
  } finally {
    logger.close()
  }
}

function configurationOf(
  io: ProgramIo,
  { unknownEntries }: BrokerSettings,
  options: BrokerOptions,
  logger: OwnedLogger,
): BrokerConfiguration {
  const path = options.brokerConfigPath
  return new BrokerConfiguration({
    options,
    unknownEntries,
    clock: systemClock,
    logger,
    ...(path === undefined ? {} : { file: new BackedUpFile(io.disk, path) }),
  })
}
