import type { Disk } from '@rocketmq-ts/runtime'

/** What a program sees of the process it runs in; tests replace it. */
export interface ProgramIo {
  /** One line to standard output: answers and the lines that scripts wait for. */
  out(line: string): void
  /** One line to standard error: everything meant for people. */
  err(line: string): void
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly disk: Disk
  /** Calls `listener` at each SIGTERM or SIGINT; returns the function that ends it. */
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
    onStopSignal(listener) {
      const signals = ['SIGTERM', 'SIGINT'] as const
      for (const signal of signals) process.on(signal, listener)
      return () => {
        for (const signal of signals) process.off(signal, listener)
      }
    },
    exit: code => process.exit(code),
  }
}
