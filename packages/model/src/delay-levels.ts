import { RocketMqError } from '@rocketmq-ts/runtime'

/** Levels of a broker whose configuration doesn't say otherwise. Level n is the n-th word. */
export const DEFAULT_DELAY_LEVELS = '1s 5s 10s 30s 1m 2m 3m 4m 5m 6m 7m 8m 9m 10m 20m 30m 1h 2h'

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Delay of each level in ms; level n is at index n - 1. Throws CONFIG_INVALID naming the word it can't read.
 * Source: ScheduleMessageService#parseDelayLevel, 5.3.x.
 */
export function parseDelayLevels(text: string): number[] {
  return text.split(' ').map(word => {
    const match = /^(\d{1,12})([smhd])$/.exec(word)
    if (match === null) {
      throw new RocketMqError(
        'CONFIG_INVALID',
        `messageDelayLevel: ${JSON.stringify(word)} is not like 10s, 5m, 2h, 1d.`,
      )
    }
    return Number(match[1]) * unitMs[match[2]!]!
  })
}

/** Delay in ms of `level`; a level above the last counts as the last, one below 1 as none (0). */
export function delayOfLevel(levelsMs: readonly number[], level: number): number {
  if (level < 1 || levelsMs.length === 0) return 0
  return levelsMs[Math.min(level, levelsMs.length) - 1]!
}
