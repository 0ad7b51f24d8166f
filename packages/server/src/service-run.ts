import { deferred } from '@rocketmq-ts/runtime'
import type { ProgramIo } from './program-io.ts'

/** npm and npx pass on a signal that the terminal has sent to everybody already; the two are one. */
const SAME_SIGNAL_MS = 500

/** Something that runs until it is closed. */
export interface Service {
  /** Stops cleanly; resolves when nothing is left running. */
  close(): Promise<void>
}

/**
 * Starts a service and keeps it running until a stop signal, then closes it; resolves when it is closed. A signal that comes
 * during the start is obeyed once the start is through; a second one, half a second or more later, ends the process at once with code 1.
 * Rejects when the start or the closing fails.
 */
export async function runUntilStopped(io: ProgramIo, start: () => Promise<Service>): Promise<void> {
  const stop = deferred()
  let firstAtMs: number | undefined
  const unlisten = io.onStopSignal(signal => {
    const now = io.clock.monotonic()
    firstAtMs ??= now
    if (now - firstAtMs >= SAME_SIGNAL_MS) {
      io.err(`${signal} again: stopping at once`)
      io.exit(1)
    }
    stop.resolve()
  })
  try {
    const service = await start()
    await stop.promise
    await service.close()
  } finally {
    unlisten()
  }
}
