import { join } from 'node:path'
import {
  type NamesrvOptionName,
  type NamesrvOptions,
  namesrvConfOf,
  namesrvOptions,
  namesrvOptionTable,
  startNamesrv,
} from '@rocketmq-ts/namesrv'
import { formatConfigText, parseConfigText } from '@rocketmq-ts/protocol'
import { nodeNetwork, systemClock } from '@rocketmq-ts/runtime'
import { Command } from 'commander'
import { addLogFlags, type LogFlags, loggerOf } from '../logging.ts'
import type { ProgramIo } from '../program-io.ts'
import { runUntilStopped } from '../service-run.ts'
import { readConfigFile } from '../settings/broker-settings.ts'
import { type EnvironmentSettings, readEnvironment } from '../settings/environment.ts'
import { portOf } from '../settings/port.ts'
import { loadTlsSettings } from '../settings/tls.ts'

interface NamesrvFlags extends LogFlags {
  readonly configFile?: string
  readonly port?: string
  readonly printConfigItem?: boolean
  readonly tlsConfig?: string
}

/** `rocketmq namesrv`, also known as `mqnamesrv`: one name server, with the flags and keys of Java's. */
export function namesrvCommand(io: ProgramIo, name = 'namesrv'): Command {
  const command = new Command(name)
    .description('A name server: tells clients which broker has which topic.')
    .option('-c, --configFile <file>', 'namesrv.conf, with the keys of the Java name server')
    .option('--port <port>', 'port to listen on (default: listenPort of the file, else 9876)')
    .option('-p, --printConfigItem', 'print all settings and exit')
    .option('--tls-config <file>', 'tls.properties, with the keys of Java')
    // The script of a Java broker and name server passes it to both; it means nothing here, as there.
    .option('-n, --namesrvAddr <addresses>', 'accepted and ignored')
  return addLogFlags(command, 'info').action(async (flags: NamesrvFlags) => {
    const environment = readEnvironment(io.environment)
    const entries = entriesOf(io, flags)
    const options = effectiveOptions(io, environment, entries, flags)
    if (flags.printConfigItem) io.out(settingsText(options))
    else await runNamesrv(io, environment, entries, options, flags)
  })
}

function entriesOf(io: ProgramIo, { configFile }: NamesrvFlags): ReadonlyMap<string, string> {
  return configFile === undefined ? new Map() : parseConfigText(readConfigFile(io, configFile))
}

/** Command line over file over defaults; the file that the settings came from is the one they are kept in, as Java does. */
function effectiveOptions(
  io: ProgramIo,
  { home }: EnvironmentSettings,
  entries: ReadonlyMap<string, string>,
  flags: NamesrvFlags,
): NamesrvOptions {
  const { options, unknownKeys } = namesrvConfOf(entries)
  for (const key of unknownKeys) {
    if (!key.startsWith('tls.')) io.err(`warning: ${flags.configFile}: unknown key ${key}`)
  }
  const userHome = io.environment.HOME ?? io.environment.USERPROFILE ?? '.'
  return namesrvOptions({
    kvConfigPath: join(userHome, 'namesrv', 'kvConfig.json'),
    configStorePath: join(userHome, 'namesrv', 'namesrv.properties'),
    ...(home === undefined ? {} : { rocketmqHome: home }),
    ...options,
    ...(flags.configFile === undefined ? {} : { configStorePath: flags.configFile }),
    ...(flags.port === undefined ? {} : { listenPort: portOf('--port', flags.port) }),
  })
}

async function runNamesrv(
  io: ProgramIo,
  environment: EnvironmentSettings,
  entries: ReadonlyMap<string, string>,
  options: NamesrvOptions,
  flags: NamesrvFlags,
): Promise<void> {
  const tls = loadTlsSettings({
    disk: io.disk,
    systemProperties: environment.systemProperties,
    configEntries: new Map([...entries].filter(([key]) => key.startsWith('tls.'))),
    file: flags.tlsConfig,
  })
  const logger = loggerOf(flags, 'namesrv')
  try {
    await runUntilStopped(io, async () => {
      const namesrv = await startNamesrv({
        network: nodeNetwork,
        clock: systemClock,
        disk: io.disk,
        logger,
        options,
        tls: tls.server,
      })
      io.out(`The Name Server boot success. serializeType=JSON, address ${namesrv.address}`)
      return namesrv
    })
  } finally {
    logger.close()
  }
}

function settingsText(options: NamesrvOptions): string {
  const names = Object.keys(namesrvOptionTable) as NamesrvOptionName[]
  return formatConfigText(names.map(name => [namesrvOptionTable[name].key, String(options[name])])).trimEnd()
}
