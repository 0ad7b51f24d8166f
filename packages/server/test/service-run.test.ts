import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Clock, realDisk } from '@rocketmq-ts/runtime'
import type { ProgramIo } from '../dist/program-io.js'
import { runUntilStopped } from '../dist/service-run.js'

/** A program that is sent signals at times of the test's choosing, with a service whose stop never ends. */
function stuckProgram() {
  let nowMs = 0
  let signal: (name: string) => void = () => {}
  const exits: number[] = []
  const io: ProgramIo = {
    out: () => {},
    err: () => {},
    environment: {},
    disk: realDisk,
    clock: { monotonic: () => nowMs } as Clock,
    onStopSignal: listener => {
      signal = listener
      return () => {}
    },
    exit: code => {
      exits.push(code)
      return undefined as never
    },
  }
  void runUntilStopped(io, async () => ({ close: () => new Promise<void>(() => {}) }))
  const send = (atMs: number) => {
    nowMs = atMs
    signal('SIGINT')
  }
  return { exits, send }
}

test('a signal that arrives twice, from the terminal and passed on by npm, is one', () => {
  const { exits, send } = stuckProgram()
  send(1000)
  send(1003)
  send(1499)
  assert.deepEqual(exits, [])
})

test('a second signal later ends a stop that takes too long at once, with code 1', () => {
  const { exits, send } = stuckProgram()
  send(1000)
  send(1500)
  assert.deepEqual(exits, [1])
})
