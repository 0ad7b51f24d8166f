import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { silentLogger } from '@rocketmq-ts/runtime'
import { Lifecycle, type StoreEvent, type StoreState, transition } from '../dist/lifecycle.js'

const states: StoreState[] = ['opening', 'running', 'full', 'fenced', 'closing', 'closed']
const events: StoreEvent[] = ['opened', 'open-failed', 'disk-full', 'space-returned', 'write-failed', 'close', 'closed']

/** Every state × event, as the diagram has it; what is missing is impossible. */
const expected: Record<StoreState, Partial<Record<StoreEvent, StoreState>>> = {
  opening: { opened: 'running', 'open-failed': 'closed' },
  running: { 'disk-full': 'full', 'space-returned': 'running', 'write-failed': 'fenced', close: 'closing' },
  full: { 'disk-full': 'full', 'space-returned': 'running', 'write-failed': 'fenced', close: 'closing' },
  fenced: { 'disk-full': 'fenced', 'space-returned': 'fenced', 'write-failed': 'fenced', close: 'closing' },
  closing: { 'disk-full': 'closing', 'space-returned': 'closing', 'write-failed': 'closing', closed: 'closed' },
  closed: {
    'disk-full': 'closed',
    'space-returned': 'closed',
    'write-failed': 'closed',
    close: 'closed',
    closed: 'closed',
  },
}

describe('the life of a store', () => {
  it('moves as the diagram says, for every state and event', () => {
    for (const state of states) {
      for (const event of events) {
        assert.equal(transition(state, event), expected[state][event], `${event} in ${state}`)
      }
    }
  })

  it('never leaves fenced but by closing, and never comes back from closed', () => {
    for (const event of events) {
      assert.ok(['fenced', 'closing', undefined].includes(transition('fenced', event)))
      assert.ok(['closed', undefined].includes(transition('closed', event)))
    }
  })

  it('says why it refuses writes, and throws at an impossible move', () => {
    const lifecycle = new Lifecycle(silentLogger)
    assert.equal(lifecycle.isWritable, false)
    lifecycle.move('opened', 'recovered')
    assert.equal(lifecycle.isWritable, true)
    assert.equal(lifecycle.whyNotWritable, undefined)
    lifecycle.move('disk-full', '95% full')
    assert.equal(lifecycle.isWritable, false)
    assert.equal(lifecycle.isReadable, true)
    assert.equal(lifecycle.whyNotWritable, '95% full')
    assert.throws(() => lifecycle.move('opened', 'again'), /opened in state full/)
  })
})
