/**
 * The life of a connection.
 *
 * ```text
 *            congest                              close
 *    open ───────────► congested          open, congested ──────► draining
 *      ▲                   │                                         │ drained
 *      └───────────────────┘ relieve                                 ▼
 *                                       any ──────── lost ───────► closed
 * ```
 *
 * - `open`: frames are read and handled.
 * - `congested`: the peer doesn't read, or has too much in flight; nothing is read from it until that is better.
 * - `draining`: nothing more is read or accepted for writing; what is queued goes out, then the socket ends.
 * - `closed`: the socket is gone. Final.
 */
export type ConnectionState = 'open' | 'congested' | 'draining' | 'closed'

/** What moves a connection from one {@link ConnectionState} to another. */
export type ConnectionEvent = 'congest' | 'relieve' | 'close' | 'drained' | 'lost'

const moves: Record<ConnectionState, Partial<Record<ConnectionEvent, ConnectionState>>> = {
  open: { congest: 'congested', close: 'draining', lost: 'closed' },
  congested: { relieve: 'open', close: 'draining', lost: 'closed' },
  draining: { drained: 'closed', lost: 'closed' },
  closed: {},
}

/** The state after `event`; the same state when the event means nothing in it. */
export function nextConnectionState(state: ConnectionState, event: ConnectionEvent): ConnectionState {
  return moves[state][event] ?? state
}
