import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openStore, readQueue, recordOf } from '../support/open-store.js'

const COUNT = 400

/** A stopped store of 7 files of 64 KiB, all of one queue. */
async function stoppedStore(t: TestContext): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'rocketmq-reader-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const store = await openStore(directory)
  for (let i = 0; i < COUNT; i++) store.append(recordOf({ body: Buffer.alloc(1000, i & 255) }))
  await store.close()
  return directory
}

const filesOf = (directory: string) => readdirSync(join(directory, 'commitlog')).sort()

test('a log whose first file does not begin at a block of the reader is read from its first record on', async t => {
  const directory = await stoppedStore(t)
  rmSync(join(directory, 'commitlog', filesOf(directory)[0]!))
  const store = await openStore(directory)
  const minOffset = store.minOffset('T', 0)
  assert.ok(minOffset > 0 && minOffset < 100)
  assert.equal((await readQueue(store, 'T', 0, minOffset)).length, COUNT - minOffset)
  await store.close()
})

test('a file that is missing in the middle costs its own messages alone', async t => {
  const directory = await stoppedStore(t)
  const perFile = Math.floor(COUNT / filesOf(directory).length)
  rmSync(join(directory, 'commitlog', filesOf(directory)[2]!))
  const store = await openStore(directory)
  const found = (await readQueue(store, 'T', 0, 0)).length
  assert.ok(found >= COUNT - perFile - 5 && found < COUNT, `${found} of ${COUNT}`)
  await store.close()
})
