import { FRAME_LIMIT_BYTES } from '@rocketmq-ts/protocol'
import type { ConnectionLimits } from './connection-context.ts'

const MIB = 1024 * 1024

/** Limits that a server or client may set, with the defaults of {@link defaultLimits}. */
export type LimitOptions = Partial<ConnectionLimits>

/** Defaults for both ends; the frame limit and idle time are Java's. */
export const defaultLimits: ConnectionLimits = {
  frameLimitBytes: FRAME_LIMIT_BYTES,
  outgoingLimitBytes: 8 * MIB,
  outgoingCloseBytes: 64 * MIB,
  inFlightLimitBytes: 32 * MIB,
  idleTimeoutMs: 120_000,
  callsMax: 65_535,
}

/** Over all connections of a server or client. */
export const defaultTotals = { inFlightTotalBytes: 256 * MIB, unfinishedTotalBytes: 256 * MIB }

/** The limits that result from the defaults and what `options` sets. */
export function limitsOf(options: LimitOptions): ConnectionLimits {
  return {
    frameLimitBytes: options.frameLimitBytes ?? defaultLimits.frameLimitBytes,
    outgoingLimitBytes: options.outgoingLimitBytes ?? defaultLimits.outgoingLimitBytes,
    outgoingCloseBytes: options.outgoingCloseBytes ?? defaultLimits.outgoingCloseBytes,
    inFlightLimitBytes: options.inFlightLimitBytes ?? defaultLimits.inFlightLimitBytes,
    idleTimeoutMs: options.idleTimeoutMs ?? defaultLimits.idleTimeoutMs,
    callsMax: options.callsMax ?? defaultLimits.callsMax,
  }
}
