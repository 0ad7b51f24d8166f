/** Version of a table that brokers replicate and register. Equal when all three numbers are. */
export interface DataVersion {
  /** Rises with changes of the master. */
  readonly stateVersion: number
  /** ms since 1970 of the last edit. */
  readonly timestamp: number
  /** Rises by one with each edit. */
  readonly counter: number
}

/** The version of a table made at `now` that nobody edited. */
export function initialDataVersion(now: number): DataVersion {
  return { stateVersion: 0, timestamp: now, counter: 0 }
}

/** The version after an edit at `now`. */
export function nextDataVersion(version: DataVersion, now: number, stateVersion = 0): DataVersion {
  return { stateVersion, timestamp: now, counter: version.counter + 1 }
}

export function dataVersionsEqual(a: DataVersion, b: DataVersion): boolean {
  return a.stateVersion === b.stateVersion && a.timestamp === b.timestamp && a.counter === b.counter
}

/** Negative when `a` is older than `b`. Source: DataVersion#compare, 5.3.x. */
export function compareDataVersions(a: DataVersion, b: DataVersion): number {
  return Math.sign(a.stateVersion - b.stateVersion || a.counter - b.counter || a.timestamp - b.timestamp)
}
