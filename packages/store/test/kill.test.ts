import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { decodeStoredMessage } from '@rocketmq-ts/model'
import { openStore, readQueue } from './support/open-store.ts'

const program = fileURLToPath(new URL('./support/appending-process.js', import.meta.url))

/** Starts a process that appends, and kills it after so many lines. Returns the counts of the last whole line. */
async function appendAndKill(directory: string, lines: number): Promise<number[]> {
  const child = spawn(process.execPath, [program, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    if (text.split('\n').length > lines) child.kill('SIGKILL')
  })
  await once(child, 'close')
  return text.split('\n').slice(0, -1).at(-1)!.split(' ').map(Number)
}

it('a process that is killed again and again loses nothing that it said was written', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'store-kill-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  let before = [0, 0, 0, 0]
  for (const lines of [1, 40, 300, 7]) {
    const counts = await appendAndKill(directory, lines)
    const store = await openStore(directory)
    for (const [queueId, count] of counts.entries()) {
      assert.ok(count >= before[queueId]!)
      const records = await readQueue(store, 'T', queueId, 0)
      assert.ok(records.length >= count, `queue ${queueId} has ${records.length}, written were ${count}`)
      assert.equal(store.maxOffset('T', queueId), records.length)
      records.forEach((record, index) => {
        const message = decodeStoredMessage(record)
        assert.equal(message.queueOffset, index)
        assert.ok(message.body.toString().startsWith(`${queueId}:`))
      })
    }
    before = [0, 1, 2, 3].map(queueId => store.maxOffset('T', queueId))
    await store.close()
  }
})
