/** The only door to the outside: clock, random, disk, network, logger, errors, assertions. */
export { AssertionFailure, assert } from './assert.ts'
export { type Clock, delay, systemClock, type Timer } from './clock.ts'
export { type Deferred, deferred } from './deferred.ts'
export type { Disk, DiskEntry, DiskFile, DiskLock, DiskStat, DiskUsage } from './disk.ts'
export { type ErrorCode, errorCodes, RocketMqError, type RocketMqErrorOptions } from './errors.ts'
export { type Logger, silentLogger } from './logger.ts'
export type { Listener, Network } from './network.ts'
export { type Random, seededRandom, systemRandom } from './random.ts'
