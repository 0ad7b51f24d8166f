import type { Logger } from '@rocketmq-ts/runtime'
import type { SegmentedLog } from '../segment/segmented-log.ts'

/** What is known of a log before it is read. */
export interface KnownLog {
  /** Everything before it was on the disk; only what follows may be missing because of a crash. */
  readonly endOffset: number
  /** Start of a record before `endOffset`; −1 when none is known. */
  readonly recordOffset: number
  /** A crash explains no missing file: Java wrote the log, or it stopped cleanly. */
  readonly hasAllFiles: boolean
}

/** A place at which a scan found no valid record. */
export interface Damage {
  readonly offset: number
  /** There is no file, although younger ones are there. */
  readonly isMissingFile: boolean
  readonly reason: string
}

/** Where a scan goes on behind a damage; undefined where the log ends. */
export type GoOn = (damage: Damage) => number | undefined

/**
 * Tells damage from the end. What a crash has torn lies behind all that was known to be there: that is the end, and what follows goes.
 * Damage before it is a device's fault or a hand's; the records behind it are good and stay, beginning with the next known start of one:
 * that of a file, or `recordOffset`. Each is logged once.
 */
export function goOnBehindDamage(log: SegmentedLog, known: KnownLog, logger: Logger): GoOn {
  const reported = new Set<number>()
  return ({ offset, isMissingFile, reason }) => {
    let next = log.segments.find(segment => segment.startOffset > offset)?.startOffset ?? Number.POSITIVE_INFINITY
    if (known.recordOffset > offset) next = Math.min(next, known.recordOffset)
    const isKnown = next <= known.endOffset || (isMissingFile && known.hasAllFiles)
    if (!isKnown || next === Number.POSITIVE_INFINITY) return undefined
    if (!reported.has(offset)) {
      reported.add(offset)
      logger.error({ directory: log.directory, from: offset, to: next, reason }, 'messages of the log are lost')
    }
    return next
  }
}

/** Logs what the names of the files already say: files missing in the middle, or at the end. */
export function reportMissingFiles(log: SegmentedLog, writtenOffset: number, logger: Logger): void {
  const { directory, fileSizeBytes, segments } = log
  let expected = log.startOffset
  for (const { startOffset } of segments) {
    if (startOffset > expected) {
      logger.error(
        { directory, from: expected, to: startOffset },
        'files of the log are missing; their messages are lost',
      )
    }
    expected = startOffset + fileSizeBytes
  }
  if (expected < writtenOffset) {
    logger.error(
      { directory, from: expected, to: writtenOffset },
      'the end of the log is missing; its messages are lost',
    )
  }
}
