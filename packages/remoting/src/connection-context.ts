import type { Clock, Logger, RateLimitedLog, TimingWheel } from '@rocketmq-ts/runtime'
import type { Flusher } from './flusher.ts'
import type { InFlightAccount } from './in-flight.ts'
import type { Router } from './router.ts'

/** Bounds of one connection. All in bytes or milliseconds. */
export interface ConnectionLimits {
  /** Largest frame, length field included. */
  frameLimitBytes: number
  /** With more than this waiting to be sent, nothing more is read from the peer (server), or new calls fail (client). */
  outgoingLimitBytes: number
  /** With more than this waiting to be sent, the connection is closed. */
  outgoingCloseBytes: number
  /** With more than this in requests that are being handled, nothing more is read from the peer. */
  inFlightLimitBytes: number
  /** Without a byte in either direction for this long, the connection is closed. */
  idleTimeoutMs: number
  /** Calls of ours that wait for an answer; one more fails with `TOO_MANY_REQUESTS`. */
  callsMax: number
}

/** What all connections of one server or client share. */
export interface ConnectionContext {
  readonly role: 'server' | 'client'
  readonly clock: Clock
  readonly logger: Logger
  readonly repeatedLog: RateLimitedLog
  readonly wheel: TimingWheel
  readonly flusher: Flusher
  readonly router: Router
  readonly limits: ConnectionLimits
  readonly account: InFlightAccount
}
