import { startStandalone } from '@rocketmq-ts/embedded'
import { Command } from 'commander'
import { addLogFlags, type LogFlags, loggerOf } from '../logging.ts'
import type { ProgramIo } from '../program-io.ts'
import { runUntilStopped } from '../service-run.ts'
import { loadBrokerSettings } from '../settings/broker-settings.ts'
import { readEnvironment } from '../settings/environment.ts'
import { portOf } from '../settings/port.ts'
import { loadTlsSettings } from '../settings/tls.ts'

const DEFAULT_DIRECTORY = 'rocketmq-data'

interface StandaloneFlags extends LogFlags {
  readonly data?: string
  readonly host: string
  readonly bind?: string
  readonly namesrvPort: string
  readonly brokerPort?: string
  readonly configFile?: string
  readonly tlsConfig?: string
}

/** `rocketmq standalone`: name server and broker in one process, with small defaults. */
export function standaloneCommand(io: ProgramIo): Command {
  const command = new Command('standalone')
    .description('Name server and broker in one process.')
    .option(
      '--data <directory>',
      `store directory (default: storePathRootDir of the file, else ./${DEFAULT_DIRECTORY})`,
    )
    .option('--host <address>', 'address under which clients reach this process', '127.0.0.1')
    .option('--bind <address>', 'address to listen on (default: a loopback host itself, else 0.0.0.0)')
    .option('--namesrv-port <port>', 'port of the name server; 0 takes a free one', '9876')
    .option(
      '--broker-port <port>',
      'port of the broker; 0 takes a free one (default: listenPort of the file, else 10911)',
    )
    .option('-c, --configFile <file>', 'broker.conf, with the keys of the Java broker')
    .option('--tls-config <file>', 'tls.properties, with the keys of Java')
  return addLogFlags(command, 'warn').action((flags: StandaloneFlags) => runStandalone(io, flags))
}

async function runStandalone(io: ProgramIo, flags: StandaloneFlags): Promise<void> {
  const environment = readEnvironment(io.environment)
  const settings = loadBrokerSettings(io, flags.configFile)
  const tls = loadTlsSettings({
    disk: io.disk,
    systemProperties: environment.systemProperties,
    configEntries: settings.tlsEntries,
    file: flags.tlsConfig,
  })
  const logger = loggerOf(flags, 'standalone')
  try {
    await runUntilStopped(io, async () => {
      const standalone = await startStandalone({
        dataDirectory: flags.data ?? settings.options.storePathRootDir ?? DEFAULT_DIRECTORY,
        host: flags.host,
        namesrvPort: portOf('--namesrv-port', flags.namesrvPort),
        brokerConfig: {
          ...(environment.home === undefined ? {} : { rocketmqHome: environment.home }),
          ...settings.options,
        },
        unknownEntries: settings.unknownEntries,
        tls: tls.server,
        logger,
        disk: io.disk,
        ...(flags.bind === undefined ? {} : { bindAddress: flags.bind }),
        ...(flags.brokerPort === undefined ? {} : { brokerPort: portOf('--broker-port', flags.brokerPort) }),
      })
      const { namesrvAddress, brokerAddress, dataDirectory } = standalone
      io.out(`ready: name server ${namesrvAddress}, broker ${brokerAddress}, data in ${dataDirectory}`)
      return standalone
    })
  } finally {
    logger.close()
  }
}
