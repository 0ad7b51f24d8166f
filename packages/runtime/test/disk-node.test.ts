import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { realDisk as disk, diskError, RocketMqError } from '@rocketmq-ts/runtime'

const root = mkdtempSync(join(tmpdir(), 'disk-node-'))
after(() => rmSync(root, { recursive: true, force: true }))

let count = 0
function freshDirectory(): string {
  const directory = join(root, `d${count++}`)
  disk.makeDirectory(directory)
  return directory
}

describe('a file of the real disk', () => {
  it('reads and writes at positions, and is shorter only at its end', async () => {
    const file = disk.open(join(freshDirectory(), 'f'), { create: true })
    file.writeSync(Buffer.from('--hello--'), 2, 5, 10)
    file.writeVectorSync([Buffer.from('a'), Buffer.alloc(0), Buffer.from('bc')], 0)
    assert.equal(file.size(), 15)
    const target = Buffer.alloc(20, '.')
    assert.equal(file.readSync(target, 1, 19, 10), 5)
    assert.equal(target.toString(), '.hello..............')
    assert.equal(await file.read(target, 0, 20, 0), 15)
    assert.equal(target.toString('latin1', 0, 15), 'abc\0\0\0\0\0\0\0hello')
    assert.equal(await file.read(target, 0, 5, 100), 0)
    file.truncate(12)
    assert.equal(file.size(), 12)
    file.truncate(1 << 20)
    assert.equal(file.readSync(target, 0, 4, 11), 4)
    assert.equal(target.toString('latin1', 0, 4), 'e\0\0\0')
    await file.sync()
    file.syncSync()
    file.close()
    file.close()
  })

  it('finishes reads that are under way when it is closed, and refuses new ones', async () => {
    const directory = freshDirectory()
    disk.writeFile(join(directory, 'f'), 'x'.repeat(100_000))
    const file = disk.open(join(directory, 'f'))
    const target = Buffer.alloc(100_000)
    const reading = file.read(target, 0, target.length, 0)
    file.close()
    assert.equal(await reading, 100_000)
    await assert.rejects(file.read(target, 0, 1, 0), { code: 'DISK_FAILED' })
  })

  it('says which operation on which file failed', () => {
    const path = join(freshDirectory(), 'absent')
    assert.throws(
      () => disk.open(path),
      (error: unknown) =>
        RocketMqError.is(error) &&
        error.code === 'DISK_FAILED' &&
        error.details.path === path &&
        error.details.errno === 'ENOENT',
    )
    const full = diskError('write', path, Object.assign(new Error('no space'), { code: 'ENOSPC' }))
    assert.equal(full.code, 'DISK_FULL')
    assert.equal(full.retryable, true)
    assert.equal(diskError('write', path, Object.assign(new Error('quota'), { code: 'EDQUOT' })).code, 'DISK_FULL')
    assert.equal(diskError('write', path, Object.assign(new Error('bad'), { code: 'EIO' })).code, 'DISK_FAILED')
  })
})

describe('the directories of the real disk', () => {
  it('are made with their parents, listed by name, and removed with all they hold', () => {
    const directory = freshDirectory()
    disk.makeDirectory(join(directory, 'b/c/d'))
    disk.makeDirectory(join(directory, 'b'))
    disk.writeFile(join(directory, 'a'), 'text')
    disk.writeFile(join(directory, 'B'), '')
    assert.deepEqual(disk.list(directory), [
      { name: 'B', isDirectory: false },
      { name: 'a', isDirectory: false },
      { name: 'b', isDirectory: true },
    ])
    assert.throws(() => disk.makeDirectory(join(directory, 'a')), { code: 'DISK_FAILED' })
    disk.syncDirectory(directory)
    disk.removeDirectory(directory)
    disk.removeDirectory(directory)
    assert.equal(disk.list(directory), undefined)
    assert.equal(disk.list(join(directory, 'more')), undefined)
  })

  it('tell sizes and kinds, and nothing about what is not there', () => {
    const directory = freshDirectory()
    const path = join(directory, 'f')
    assert.equal(disk.stat(path), undefined)
    assert.equal(disk.readFile(path), undefined)
    disk.removeFile(path)
    disk.writeFile(path, 'long content', { sync: true })
    disk.writeFile(path, 'short')
    assert.equal(disk.readFile(path)?.toString(), 'short')
    const stat = disk.stat(path)
    assert.equal(stat?.size, 5)
    assert.equal(stat?.isDirectory, false)
    assert.ok(stat.modifiedAtMs > 1_500_000_000_000)
    disk.rename(path, join(directory, 'g'))
    assert.equal(disk.stat(path), undefined)
    assert.equal(disk.stat(directory)?.isDirectory, true)
  })

  it('report failures that are not absence', { skip: process.getuid?.() === 0 }, () => {
    const directory = freshDirectory()
    chmodSync(directory, 0)
    assert.throws(() => disk.list(directory), { code: 'DISK_FAILED' })
    chmodSync(directory, 0o755)
  })

  it('report a link that leads to itself', () => {
    const path = join(freshDirectory(), 'loop')
    symlinkSync(path, path)
    assert.throws(() => disk.readFile(path), { code: 'DISK_FAILED' })
    assert.throws(() => disk.list(path), { code: 'DISK_FAILED' })
  })
})

describe('the space of the real disk', () => {
  it('is that of the nearest directory that exists', () => {
    const here = disk.usage(root)
    const below = disk.usage(join(root, 'not/yet/there'))
    assert.ok(here !== undefined && below !== undefined)
    assert.equal(below.totalBytes, here.totalBytes)
    assert.ok(here.usedBytes > 0 && here.usedBytes < here.totalBytes)
    assert.ok(here.availableBytes > 0)
  })

  it('lives as long as the system', () => {
    assert.equal(disk.bootId(), disk.bootId())
    assert.equal(typeof disk.bootId(), 'string')
  })
})
