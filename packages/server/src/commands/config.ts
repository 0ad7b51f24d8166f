import { type BrokerOptions, brokerOptionTable, createBrokerOptions } from '@rocketmq-ts/broker/internal'
import { Command } from 'commander'
import type { ProgramIo } from '../program-io.ts'
import { loadBrokerSettings } from '../settings/broker-settings.ts'

interface ConfigFlags {
  readonly configFile?: string
  readonly changed?: boolean
  readonly describe?: boolean
}

/** `rocketmq config`: what a broker would use, given a file. */
export function configCommand(io: ProgramIo): Command {
  return new Command('config')
    .description('Print the settings that a broker would use, as key=value lines.')
    .option('-c, --configFile <file>', 'broker.conf')
    .option('--changed', 'only those that differ from the default')
    .option('--describe', 'with what each means and its default')
    .action((flags: ConfigFlags) => {
      const options = createBrokerOptions(loadBrokerSettings(io, flags.configFile).options)
      for (const line of settingLines(options, flags)) io.out(line)
    })
}

function settingLines(options: BrokerOptions, flags: ConfigFlags): string[] {
  const settings = Object.entries(brokerOptionTable).map(([name, option]) => ({
    option,
    value: options[name as keyof BrokerOptions],
  }))
  return settings
    .filter(({ option, value }) => (flags.changed ? value !== option.defaultValue : value !== undefined))
    .sort((a, b) => (a.option.key < b.option.key ? -1 : 1))
    .flatMap(({ option, value }) => {
      const line = `${option.key}=${value ?? ''}`
      if (!flags.describe) return [line]
      const inert = option.isInert ? ' Kept for compatibility; it has no effect here.' : ''
      const normally = option.defaultValue === undefined ? 'unset' : String(option.defaultValue)
      return [`# ${option.sentence}${inert} (${option.type}, default ${normally})`, line]
    })
}
