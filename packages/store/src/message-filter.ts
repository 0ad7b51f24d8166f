import type { ExtUnit } from './consume-queue/consume-queue-ext.ts'

/** Chooses messages by more than their tags. */
export interface MessageFilter {
  /**
   * By consume queue entry, before the record is read: the tags code in two int32, and the extension unit where there is one.
   * May say yes too often (hashes collide), never no wrongly.
   */
  matchesEntry(tagsHigh: number, tagsLow: number, unit: ExtUnit | undefined): boolean
  /** By the whole record. Without it the entry decides alone. */
  matchesRecord?(record: Buffer): boolean
}

/** Which messages a pull wants: a set of tag hashes (int32), or a filter. */
export type TagFilter = ReadonlySet<number> | MessageFilter

/** Whether an entry with this tags code passes. */
export function matchesTags(
  filter: TagFilter | undefined,
  tagsHigh: number,
  tagsLow: number,
  unit: ExtUnit | undefined,
): boolean {
  if (filter === undefined) return true
  if ('matchesEntry' in filter) return filter.matchesEntry(tagsHigh, tagsLow, unit)
  return filter.has(tagsLow) && tagsHigh === tagsLow >> 31
}

/** Whether the filter looks at records, so that they must be read before it has decided. */
export function wantsRecord(filter: TagFilter | undefined): filter is MessageFilter {
  return filter !== undefined && 'matchesRecord' in filter && filter.matchesRecord !== undefined
}

/** Whether the whole record passes. */
export function matchesRecord(filter: TagFilter | undefined, record: Buffer): boolean {
  if (filter === undefined || !('matchesEntry' in filter)) return true
  return filter.matchesRecord?.(record) ?? true
}
