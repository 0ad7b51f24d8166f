import type { ManualClock } from '@rocketmq-ts/testing'

export { ManualClock } from '@rocketmq-ts/testing'

/** Lets the event loop turn until `condition` holds. Fails loudly instead of hanging when it never does. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 20_000
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`never came true: ${what}`)
    await new Promise(resolve => setImmediate(resolve))
  }
}

/** Lets everything that is ready run: a fixed number of turns of the event loop. */
export async function settle(turns = 20): Promise<void> {
  for (let i = 0; i < turns; i++) await new Promise(resolve => setImmediate(resolve))
}

/** Moves time on in steps, letting the event loop turn between them, until `condition` holds. */
export async function advanceUntil(
  clock: ManualClock,
  condition: () => boolean,
  what: string,
  stepMs = 100,
): Promise<void> {
  const deadline = performance.now() + 20_000
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`never came true: ${what}`)
    await settle(5)
    if (!condition()) clock.advance(stepMs)
  }
}
