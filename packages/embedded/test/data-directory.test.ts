import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileSizesFor } from '@rocketmq-ts/embedded'
import { realDisk } from '@rocketmq-ts/runtime'

test('a new directory gets small files; one with files keeps their sizes', t => {
  const directory = mkdtempSync(join(tmpdir(), 'rocketmq-sizes-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const small = fileSizesFor(realDisk, directory)
  assert.equal(small.commitLogFileSizeBytes, 64 * 1024 * 1024)
  assert.ok(small.indexEntryCount !== undefined && small.indexHashSlotCount !== undefined)

  const make = (folder: string, name: string, size: number) => {
    mkdirSync(join(directory, folder), { recursive: true })
    writeFileSync(join(directory, folder, name), '')
    truncateSync(join(directory, folder, name), size)
  }
  make('commitlog', '00000000000000000000', 1_073_741_824)
  make('index', '20260101000000000', 420_000_040)
  assert.deepEqual(fileSizesFor(realDisk, directory), { commitLogFileSizeBytes: 1_073_741_824 })
})

test('files that we made are recognised as ours', t => {
  const directory = mkdtempSync(join(tmpdir(), 'rocketmq-sizes-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const sizes = fileSizesFor(realDisk, directory)
  mkdirSync(join(directory, 'index'))
  writeFileSync(join(directory, 'index', '20260101000000000'), '')
  const bytes = 40 + 4 * (sizes.indexHashSlotCount ?? 0) + 20 * (sizes.indexEntryCount ?? 0)
  truncateSync(join(directory, 'index', '20260101000000000'), bytes)
  assert.deepEqual(fileSizesFor(realDisk, directory), sizes)
})
