import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type DiskFile, RocketMqError, seededRandom, silentLogger } from '@rocketmq-ts/runtime'
import { SimDisk } from '@rocketmq-ts/testing'
import { type FileUser, OpenFiles } from '../../dist/segment/open-files.js'
import { SegmentedLog } from '../../dist/segment/segmented-log.js'

function newLog(disk: SimDisk, fileSize = 10, capacity = 10): SegmentedLog {
  return new SegmentedLog({ disk, openFiles: new OpenFiles(disk, capacity), logger: silentLogger }, '/log', fileSize)
}

function newDisk(): SimDisk {
  return new SimDisk({ random: seededRandom(1), now: () => 0 })
}

function write(log: SegmentedLog, text: string, offset: number): void {
  log.writeSync(Buffer.from(text, 'latin1'), 0, text.length, offset)
}

function read(log: SegmentedLog, offset: number, length: number): string {
  const target = Buffer.alloc(length)
  return target.toString('latin1', 0, log.readSync(target, 0, length, offset)).replace(/\0/g, '.')
}

describe('a log cut into files', () => {
  it('writes and reads across files, each at full length from the start', async () => {
    const disk = newDisk()
    const log = newLog(disk)
    write(log, 'abcdefghijklmnopqrstuvwxy', 3)
    assert.deepEqual(disk.paths(), [
      '/log/00000000000000000000',
      '/log/00000000000000000010',
      '/log/00000000000000000020',
    ])
    for (const path of disk.paths()) assert.equal(disk.stat(path)!.size, 10)
    assert.equal(read(log, 0, 40), '...abcdefghijklmnopqrstuvwxy..')
    const target = Buffer.alloc(12)
    assert.equal(await log.read(target, 0, 12, 8), 12)
    assert.equal(target.toString('latin1'), 'fghijklmnopq')
  })

  it('loads what it wrote, and continues in the middle after the first files are gone', () => {
    const disk = newDisk()
    const log = newLog(disk)
    write(log, 'x'.repeat(35), 0)
    log.removeFirst()
    log.removeFirst()
    const again = newLog(disk)
    again.load()
    assert.equal(again.startOffset, 20)
    assert.equal(again.limitOffset, 40)
    assert.equal(again.segmentAt(19), undefined)
    assert.equal(again.segmentAt(39)!.startOffset, 30)
    write(again, 'yy', 40)
    assert.equal(again.segments.at(-1)!.startOffset, 40)
  })

  it('removes an empty last file, refuses other lengths, and leaves alone what is not its own', () => {
    const disk = newDisk()
    write(newLog(disk), 'x'.repeat(15), 0)
    disk.writeFile('/log/00000000000000000020', '')
    const log = newLog(disk)
    log.load()
    assert.equal(log.segments.length, 2)
    assert.equal(disk.stat('/log/00000000000000000020'), undefined)
    disk.writeFile('/log/00000000000000000020', 'short')
    assert.throws(() => newLog(disk).load(), { code: 'STORE_CORRUPT', message: /has 5 bytes instead of 10/ })
    disk.removeFile('/log/00000000000000000020')
    disk.writeFile('/log/notes.txt', '0123456789')
    disk.makeDirectory('/log/lost+found')
    const beside = newLog(disk)
    beside.load()
    assert.equal(beside.segments.length, 2)
    assert.equal(disk.stat('/log/notes.txt')?.size, 10)
  })

  it('completes short files only where a crash may have cut them', () => {
    const disk = newDisk()
    write(newLog(disk), 'x'.repeat(25), 0)
    disk.writeFile('/log/00000000000000000010', 'abc')
    assert.throws(() => newLog(disk).load({ completeFrom: 20 }), { code: 'STORE_CORRUPT' })
    const log = newLog(disk)
    log.load({ completeFrom: 12 })
    assert.equal(read(log, 10, 10), 'abc.......')
  })

  it('leaves nothing behind the offset at which it is cut, and keeps its first file', () => {
    const disk = newDisk()
    const log = newLog(disk)
    write(log, 'x'.repeat(38), 0)
    log.truncate(13)
    assert.equal(read(log, 0, 40), `${'x'.repeat(13)}.......`)
    log.truncate(10)
    assert.equal(read(log, 0, 40), `${'x'.repeat(10)}..........`)
    log.truncate(0)
    assert.deepEqual(disk.paths(), ['/log/00000000000000000000'])
    assert.equal(read(log, 0, 40), '..........')
  })
})

describe('the bound of open files', () => {
  const user = (path: string): FileUser => ({ path, openFile: undefined, ringIndex: -1, recentlyUsed: false })

  it('closes files that were not used lately, and opens them again when asked', () => {
    const disk = newDisk()
    const files = new OpenFiles(disk, 3)
    const users = Array.from({ length: 10 }, (_, index) => user(`/f${index}`))
    for (const { path } of users) disk.writeFile(path, path)
    for (let round = 0; round < 3; round++) {
      for (const one of users) {
        const target = Buffer.alloc(3)
        files.acquire(one).readSync(target, 0, 3, 0)
        assert.equal(target.toString(), one.path)
        assert.ok(files.count <= 3)
      }
    }
    files.closeAll()
    assert.equal(files.count, 0)
    assert.ok(users.every(one => one.openFile === undefined))
  })

  it('lowers itself to what the system allows', () => {
    const disk = newDisk()
    let open = 0
    const limited = Object.create(disk, {
      open: {
        value: (path: string): DiskFile => {
          if (open >= 5) throw new RocketMqError('DISK_FAILED', 'too many files', { details: { errno: 'EMFILE' } })
          open++
          const file = disk.open(path)
          return Object.assign(file, { close: () => open-- })
        },
      },
    })
    const files = new OpenFiles(limited, 1000)
    const users = Array.from({ length: 20 }, (_, index) => user(`/f${index}`))
    for (const { path } of users) disk.writeFile(path, path)
    for (const one of users) files.acquire(one)
    assert.ok(files.count <= 5)
    assert.ok(users[19]!.openFile !== undefined)
  })
})
