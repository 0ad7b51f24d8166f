import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { RunningProgram } from './running-program.ts'

test('the quickstart sends and receives ten messages and, with --once, ends', async t => {
  const program = new RunningProgram(t, 'quickstart', ['--once'])
  assert.equal(await program.exited, 0, program.errors)
  assert.equal(program.output.match(/^sent {6}/gm)?.length, 10)
  assert.equal(program.output.match(/^received {2}.*"Hello RocketMQ \d+"$/gm)?.length, 10)
  const directory = /files in (.+)\.$/m.exec(program.output)?.[1] ?? ''
  assert.notEqual(directory, '')
  assert.equal(existsSync(directory), false)
})

test('a quickstart beside another one takes free ports and says so, and each stays until it is stopped', async t => {
  const first = new RunningProgram(t, 'quickstart', [])
  await first.find(/This server stays up until Ctrl-C/)
  const second = new RunningProgram(t, 'quickstart', [])
  await second.find(/This server stays up until Ctrl-C/)
  assert.match(second.output, /Port 9876 is in use; taking a free one instead\./)
  assert.match(second.output, /Port 10911 is in use; taking a free one instead\./)
  for (const program of [first, second]) {
    program.kill('SIGINT')
    assert.equal(await program.exited, 0, program.errors)
  }
})
