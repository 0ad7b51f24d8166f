import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openStore, readQueue, recordOf } from '../support/open-store.js'

const COUNT = 400

/** A stopped store of 7 files of 64 KiB, all of one queue. */
async function stoppedStore(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'rocketmq-damage-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const store = await openStore(directory)
  for (let i = 0; i < COUNT; i++) store.append(recordOf({ body: Buffer.alloc(1000, 1 + (i & 127)) }))
  await store.close()
  const files = readdirSync(join(directory, 'commitlog')).sort()
  const fileAt = (index: number) => join(directory, 'commitlog', files[index]!)
  return { directory, fileAt, fileCount: files.length, perFile: Math.ceil(COUNT / files.length) + 5 }
}

/** What a kill leaves, and, without our checkpoint, what an unknown broker leaves. */
const ends = {
  'a clean stop': () => {},
  'a kill': (directory: string) => writeFileSync(join(directory, 'abort'), ''),
  'a kill without queues': (directory: string) => {
    writeFileSync(join(directory, 'abort'), '')
    rmSync(join(directory, 'consumequeue'), { recursive: true })
  },
  'a kill of a broker that left no checkpoint': (directory: string) => {
    writeFileSync(join(directory, 'abort'), '')
    rmSync(join(directory, 'checkpoint'))
  },
}

for (const [end, leave] of Object.entries(ends)) {
  test(`after ${end}, a log that lacks a file in the middle keeps the younger ones and their messages`, async t => {
    const { directory, fileAt, fileCount, perFile } = await stoppedStore(t)
    rmSync(fileAt(2))
    leave(directory)
    const store = await openStore(directory)
    const found = (await readQueue(store, 'T', 0, 0)).length
    assert.ok(found >= COUNT - perFile && found < COUNT, `${found} of ${COUNT}`)
    assert.equal(store.maxOffset('T', 0), COUNT)
    assert.ok(readdirSync(join(directory, 'commitlog')).length >= fileCount - 1)
    await store.close()
  })
}

test('a damaged record in the middle costs no more than its file when queues are built from the whole log', async t => {
  const { directory, fileAt, perFile } = await stoppedStore(t)
  const bytes = readFileSync(fileAt(2))
  bytes.fill(0, 20_000, 20_100)
  writeFileSync(fileAt(2), bytes)
  rmSync(join(directory, 'consumequeue'), { recursive: true })
  const store = await openStore(directory)
  const found = (await readQueue(store, 'T', 0, 0)).length
  assert.ok(found >= COUNT - perFile && found < COUNT, `${found} of ${COUNT}`)
  assert.equal(store.maxOffset('T', 0), COUNT)
  await store.close()
})
