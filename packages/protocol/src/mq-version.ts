/** The version that we say we are: RocketMQ 5.3.3. Peers choose their dialect by it. */
export const CURRENT_VERSION = 479

/** Ordinals at which a peer's dialect changes, by what changes there. */
export const versionGates = {
  /** Below: a consumer knows neither reset-offset nor consumer-status requests. */
  consumerStatusRequests: 28,
  /** Below: a broker registers with a bare topic table. */
  registerBrokerBody: 37,
  /** Below: a client knows neither running-info nor direct-consume requests. */
  consumerRunningInfo: 62,
  /** From here on `maxReconsumeTimes` of a sender counts. */
  maxReconsumeTimes: 121,
  /** Below: a broker cannot filter by SQL. */
  sqlFilter: 232,
  /** Up to and including this one `_UNIQUE_KEY_QUERY` is no part of the signed content. */
  uniqueKeyUnsigned: 399,
  /** From here on the name server answers routes in strict JSON. */
  strictRouteJson: 401,
  /** From here on a compressed registration carries static topics. */
  compressedStaticTopics: 413,
  /** Above: a client understands GO_AWAY. */
  goAway: 475,
} as const

/** The ordinals before the numbering became regular. */
const earliest = [
  'V3_0_0_SNAPSHOT',
  'V3_0_0_ALPHA1',
  'V3_0_0_BETA1',
  'V3_0_0_BETA2',
  'V3_0_0_BETA3',
  'V3_0_0_BETA4',
  'V3_0_0_BETA5',
  'V3_0_0_BETA6_SNAPSHOT',
  'V3_0_0_BETA6',
  'V3_0_0_BETA7_SNAPSHOT',
  'V3_0_0_BETA7',
  'V3_0_0_BETA8_SNAPSHOT',
  'V3_0_0_BETA8',
  'V3_0_0_BETA9_SNAPSHOT',
  'V3_0_0_BETA9',
  'V3_0_0_FINAL',
] as const

/** From ordinal 16 on each release takes two ordinals, its snapshot first: `[first patch, last patch]` per minor line. */
const lines: readonly (readonly [major: number, minor: number, firstPatch: number, lastPatch: number])[] = [
  [3, 0, 1, 15],
  [3, 1, 0, 9],
  [3, 2, 0, 9],
  ...[3, 4, 5, 6, 7, 8, 9].map(minor => [3, minor, 1, 9] as const),
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(minor => [4, minor, 0, 9] as const),
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(minor => [5, minor, 0, 9] as const),
]

const names: readonly string[] = [
  ...earliest,
  ...lines.flatMap(([major, minor, first, last]) =>
    Array.from({ length: last - first + 1 }, (_, index) => `V${major}_${minor}_${first + index}`).flatMap(name => [
      `${name}_SNAPSHOT`,
      name,
    ]),
  ),
  'HIGHER_VERSION',
]

/**
 * The name that Java prints for a version ordinal, for instance 479 → `V5_3_3`; `HIGHER_VERSION` for any ordinal beyond
 * the table. Source: MQVersion#getVersionDesc, 5.3.x.
 */
export function versionName(ordinal: number): string {
  return names[ordinal] ?? 'HIGHER_VERSION'
}
