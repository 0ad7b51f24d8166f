import { createLogger, type OwnedLogger } from '@rocketmq-ts/runtime'
import { type Command, Option } from 'commander'

const levels = ['debug', 'info', 'warn', 'error', 'silent'] as const

/** The flags of {@link addLogFlags}, as commander hands them over. */
export interface LogFlags {
  readonly logLevel: (typeof levels)[number]
  readonly log: string
}

/** Adds `--log` and `--log-level` to a command. */
export function addLogFlags(command: Command, defaultLevel: LogFlags['logLevel']): Command {
  return command
    .addOption(new Option('--log-level <level>', 'least important lines to log').choices(levels).default(defaultLevel))
    .option('--log <where>', 'stderr, stdout, or the path of a file', 'stderr')
}

/** The logger that the flags ask for. The caller closes it. */
export function loggerOf(flags: LogFlags, name: string): OwnedLogger {
  return createLogger({ level: flags.logLevel, destination: flags.log, name })
}
