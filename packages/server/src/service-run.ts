import { deferred } from '@rocketmq-ts/runtime'
import type { ProgramIo } from './program-io.ts'

/** Something that runs until it is closed. */
export interface Service {
  /** Stops cleanly; resolves when nothing is left running. */
  close(): Promise<void>
}

/**
 * Starts a service and keeps it running until SIGTERM or SIGINT, then closes it; resolves when it is closed. A signal
 * that comes during the start is obeyed once the start is through; a second signal ends the process at once with code 1.
 * Rejects when the start or the closing fails.
 */
export async function runUntilStopped(io: ProgramIo, start: () => Promise<Service>): Promise<void> {
  const stop = deferred()
  let signals = 0
  const unlisten = io.onStopSignal(signal => {
    signals++
    if (signals > 1) {
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
