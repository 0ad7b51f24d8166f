import { RocketMqError } from '@rocketmq-ts/runtime'
import { Command, CommanderError } from 'commander'
import { brokerCommand } from './commands/broker.ts'
import { configCommand } from './commands/config.ts'
import { namesrvCommand } from './commands/namesrv.ts'
import { standaloneCommand } from './commands/standalone.ts'
import type { ProgramIo } from './program-io.ts'

const USAGE_EXIT_CODE = 2

/** The command `rocketmq` with all that it can do. */
export function rocketmqProgram(io: ProgramIo): Command {
  const program = new Command('rocketmq').description(
    'Apache RocketMQ in TypeScript: name server, broker, or both in one process.',
  )
  for (const command of [standaloneCommand(io), namesrvCommand(io), brokerCommand(io), configCommand(io)]) {
    program.addCommand(command)
  }
  return program
}

/**
 * Runs a program with the process's arguments; resolves with the exit code: 0 when it did what it was asked, 1 when it
 * failed, 2 when it was asked wrongly. Never rejects.
 */
export async function runProgram(program: Command, args: readonly string[], io: ProgramIo): Promise<number> {
  letErrorsThrough(program)
  try {
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_EXIT_CODE
    io.err(`${program.name()}: ${describeError(error)}`)
    return 1
  }
}

function letErrorsThrough(command: Command): void {
  command.exitOverride()
  for (const child of command.commands) letErrorsThrough(child)
}

/** What failed and what to do about it; for an error that isn't ours, where it happened. */
function describeError(error: unknown): string {
  if (RocketMqError.is(error)) return error.explain()
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
