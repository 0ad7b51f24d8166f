import { type Clock, type Disk, systemClock } from '@rocketmq-ts/runtime'

/** What a program sees of the process it runs in; tests replace it. */
export interface ProgramIo {
  /** One line to standard output: answers and the lines that scripts wait for. */
  out(line: string): void
  /** One line to standard error: everything meant for people. */
  err(line: string): void
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly disk: Disk
  readonly clock: Clock
  /**
   * Calls `listener` at each SIGTERM or SIGINT, and at each SIGHUP with a terminal; returns the function that ends it. Until then
   * a SIGHUP without a terminal is ignored: Node forgets that `nohup` asked for it.
   */
  onStopSignal(listener: (signal: string) => void): () => void
  /** Ends the process at once. */
  exit(code: number): never
}

/** The real process. */
export function processIo(disk: Disk): ProgramIo {
  return {
    out: line => void process.stdout.write(`${line}\n`),
    err: line => void process.stderr.write(`${line}\n`),
    environment: process.env,
    disk,
    clock: systemClock,
    onStopSignal(listener) {
      const hasTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
      const onHangUp = (signal: string) => {
        if (hasTerminal) listener(signal)
      }
      process.on('SIGTERM', listener).on('SIGINT', listener).on('SIGHUP', onHangUp)
      return () => void process.off('SIGTERM', listener).off('SIGINT', listener).off('SIGHUP', onHangUp)
    },
    exit: code => process.exit(code),
  }
}
