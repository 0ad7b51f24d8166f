/**
 * Every error code that this project throws, with what it means and what the user can do. `docs/errors.md` lists the
 * same codes; a test compares the two in both directions. A name may not change once released.
 */
export const errorCodes = {
  // transport
  CONNECT_FAILED: { retryable: true, remedy: 'Check that the address is right and reachable from here.' },
  CONNECTION_CLOSED: {
    retryable: true,
    remedy: 'The peer or the network closed the connection; the call may be repeated.',
  },
  REQUEST_TIMEOUT: { retryable: true, remedy: 'Raise the time-out, or look at why the peer is slow.' },
  ABORTED: { retryable: false, remedy: 'The caller aborted the operation through its AbortSignal.' },
  TOO_MANY_REQUESTS: { retryable: true, remedy: 'Wait for earlier calls, or raise the limit of calls in flight.' },
  FRAME_INVALID: { retryable: false, remedy: 'The peer does not speak the remoting protocol; check the port.' },
  FRAME_TOO_LARGE: { retryable: false, remedy: 'Send smaller bodies; a frame holds at most 16 MiB.' },
  HEADER_INVALID: { retryable: false, remedy: 'A header field is missing or malformed; the message names it.' },
  BODY_INVALID: { retryable: false, remedy: 'The body is not what this request carries; the message says where.' },
  // answers of a peer
  RESPONSE_ERROR: {
    retryable: false,
    remedy: 'The peer refused the request; see `details.responseCode` and the remark.',
  },
  // client
  NO_NAME_SERVER: { retryable: true, remedy: 'Give `nameServers`, or set NAMESRV_ADDR, and check that one is up.' },
  NO_ROUTE: { retryable: true, remedy: 'Create the topic with mqadmin updateTopic, or enable autoCreateTopicEnable.' },
  BROKER_NOT_FOUND: { retryable: true, remedy: 'The route names no reachable broker of that name; is the master up?' },
  INVALID_ARGUMENT: { retryable: false, remedy: 'Correct the argument that the message names.' },
  INVALID_STATE: {
    retryable: false,
    remedy: 'The object is not in a state for this call, for instance already closed.',
  },
  MESSAGE_TOO_LARGE: { retryable: false, remedy: 'Send a smaller body, or raise maxMessageSize on client and broker.' },
  SEND_FAILED: { retryable: true, remedy: 'All attempts failed; `cause` and `details.attempts` tell each one.' },
  OFFSET_NOT_FOUND: { retryable: false, remedy: 'The group has no stored offset for this queue.' },
  DECOMPRESS_FAILED: {
    retryable: false,
    remedy: 'The body is not what its system flag says; the producer is at fault.',
  },
  // store
  DISK_FULL: { retryable: true, remedy: 'Free disk space; writes resume by themselves.' },
  DISK_FAILED: { retryable: false, remedy: 'A write or sync failed; replace the disk or restart once it is healthy.' },
  STORE_LOCKED: {
    retryable: false,
    remedy: 'Another process uses this directory; stop it or choose another directory.',
  },
  STORE_CORRUPT: {
    retryable: false,
    remedy: 'Restore the named file from a copy, or remove it after reading docs/operations.md.',
  },
  STORE_NOT_WRITABLE: { retryable: true, remedy: 'The store refuses writes; the message says why.' },
  MESSAGE_ILLEGAL: {
    retryable: false,
    remedy: 'Topic, body or properties are outside the limits; the message says which.',
  },
  // configuration and programs
  CONFIG_INVALID: { retryable: false, remedy: 'Correct the named key in the configuration.' },
  ADDRESS_IN_USE: { retryable: false, remedy: 'Stop the program that listens there, or choose another port.' },
} as const satisfies Record<string, { retryable: boolean; remedy: string }>

export type ErrorCode = keyof typeof errorCodes

export interface RocketMqErrorOptions {
  cause?: unknown
  /** Overrides the code's default. */
  retryable?: boolean
  /** Facts for programs: addresses, counts, response codes. Never bodies or secrets. */
  details?: Record<string, unknown>
}

/**
 * The only error class that leaves this project's packages. Branch on `code` and `retryable`, never on the text.
 * The text says what failed, with which values; the remedy of the code is appended by {@link RocketMqError.explain}.
 */
export class RocketMqError extends Error {
  override readonly name: string = 'RocketMqError'
  readonly code: ErrorCode
  readonly retryable: boolean
  readonly details: Record<string, unknown>

  constructor(code: ErrorCode, message: string, options: RocketMqErrorOptions = {}) {
    super(`${code}: ${message}`, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.retryable = options.retryable ?? errorCodes[code].retryable
    this.details = options.details ?? {}
  }

  /** The message followed by what the user can do. */
  explain(): string {
    return `${this.message} ${errorCodes[this.code].remedy}`
  }

  /** True for errors of this class, also from another copy of the package. */
  static is(error: unknown): error is RocketMqError {
    return error instanceof Error && error.name === 'RocketMqError' && 'code' in error
  }
}
