import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConnectionEvent, type ConnectionState, nextConnectionState } from '@rocketmq-ts/remoting/internal'

test('each state answers each event as the picture says', () => {
  const events: ConnectionEvent[] = ['congest', 'relieve', 'close', 'drained', 'lost']
  const table: Record<ConnectionState, ConnectionState[]> = {
    open: ['congested', 'open', 'draining', 'open', 'closed'],
    congested: ['congested', 'open', 'draining', 'congested', 'closed'],
    draining: ['draining', 'draining', 'draining', 'closed', 'closed'],
    closed: ['closed', 'closed', 'closed', 'closed', 'closed'],
  }
  for (const state of Object.keys(table) as ConnectionState[]) {
    assert.deepEqual(
      events.map(event => nextConnectionState(state, event)),
      table[state],
      state,
    )
  }
})
