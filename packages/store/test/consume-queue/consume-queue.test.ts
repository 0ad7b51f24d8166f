import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom, silentLogger } from '@rocketmq-ts/runtime'
import { SimDisk } from '@rocketmq-ts/testing'
import type { ConsumeQueue } from '../../dist/consume-queue/consume-queue.js'
import { entryPhysicalOffset, entrySize, entryTagsCode } from '../../dist/consume-queue/entries.js'
import { EntryReader } from '../../dist/consume-queue/entry-reader.js'
import {
  correctMinOffset,
  readEntryInts,
  recoverQueueEnd,
  truncateQueue,
} from '../../dist/consume-queue/queue-recovery.js'
import { isDirectoryName, QueueTable } from '../../dist/consume-queue/queue-table.js'
import { QueueWriter } from '../../dist/consume-queue/queue-writer.js'
import { OpenFiles } from '../../dist/segment/open-files.js'

interface Bench {
  readonly disk: SimDisk
  readonly table: QueueTable
  readonly writer: QueueWriter
}

function newBench(disk = new SimDisk({ random: seededRandom(1), now: () => 0 })): Bench {
  const writer = new QueueWriter()
  const segments = { disk, openFiles: new OpenFiles(disk, 100), logger: silentLogger }
  const queues = {
    logger: silentLogger,
    recentEntriesMax: 0,
    onDirty: (queue: ConsumeQueue) => writer.add(queue),
    onWriteFailure: (_queue: ConsumeQueue, error: unknown) => {
      throw error
    },
  }
  const options = { directory: '/store', fileSizeBytes: 200, extFileSizeBytes: 0 }
  return { disk, table: new QueueTable(segments, queues, options), writer }
}

/** Adds entries of records of 100 bytes, one behind the other, as one turn. */
function push(queue: ConsumeQueue, count: number): void {
  for (let i = 0; i < count; i++) queue.push(queue.nextOffset * 100, 100, -1, -5, 1000 + queue.nextOffset)
  queue.settle()
  queue.visibleOffset = queue.settledOffset
}

async function allOffsets(queue: ConsumeQueue): Promise<number[]> {
  const reader = new EntryReader()
  const offsets: number[] = []
  for (let offset = queue.minOffset; offset < queue.maxOffset; ) {
    const window = await reader.window(queue, offset)
    assert.ok(window.count > 0)
    for (let i = 0; i < window.count; i++) offsets.push(entryPhysicalOffset(window.ints, window.first + i))
    offset += window.count
  }
  return offsets
}

const upTo = (count: number, from = 0) => Array.from({ length: count - from }, (_, index) => (index + from) * 100)

describe('a consume queue', () => {
  it('gives back each entry, from memory and from its files, in the layout on disk', async () => {
    const { disk, table, writer } = newBench()
    const queue = table.getOrCreate('T', 3)
    push(queue, 25)
    assert.deepEqual(await allOffsets(queue), upTo(25))
    writer.writeAll()
    const bytes = disk.readFile('/store/consumequeue/T/3/00000000000000000200')!
    assert.equal(bytes.length, 200)
    assert.equal(bytes.readBigInt64BE(0), 1000n)
    assert.equal(bytes.readInt32BE(8), 100)
    assert.equal(bytes.readBigInt64BE(12), -5n)
    queue.forgetRecent()
    assert.deepEqual(await allOffsets(queue), upTo(25))
    const entry = readEntryInts(queue, 7)!
    assert.equal(entrySize(entry, 0), 100)
    assert.equal(entryTagsCode(entry, 0), -5)
  })

  it('keeps a bounded part in memory however many it gets', async () => {
    const { table } = newBench()
    const queue = table.getOrCreate('T', 0)
    for (let i = 0; i < 40; i++) push(queue, 500)
    assert.equal(queue.nextOffset, 20_000)
    assert.ok(queue.recent.length / 5 <= 16_384, `${queue.recent.length / 5} entries in memory`)
    assert.deepEqual(await allOffsets(queue), upTo(20_000))
  })

  it('takes back the numbers of a turn that could not be written', () => {
    const { table } = newBench()
    const queue = table.getOrCreate('T', 0)
    push(queue, 3)
    queue.push(900, 100, 0, 0, 0)
    queue.push(1000, 100, 0, 0, 0)
    queue.rollBack()
    assert.equal(queue.nextOffset, 3)
    assert.equal(queue.maxPhysicalOffset, 300)
    push(queue, 1)
    assert.equal(queue.nextOffset, 4)
  })

  it('is found again at its end, whoever wrote it', () => {
    for (const count of [0, 1, 9, 10, 11, 203, 205, 450]) {
      const { disk, table, writer } = newBench()
      push(table.getOrCreate('T', 0), count)
      writer.writeAll()
      for (const state of ['trusted', 'foreign', 'cut'] as const) {
        const queue = newBench(disk).table.getOrCreate('T', 0)
        recoverQueueEnd(queue, state)
        assert.equal(queue.nextOffset, count, `${count} entries, ${state}`)
        assert.equal(queue.maxPhysicalOffset, count * 100)
      }
    }
  })

  it('loses the entries of records behind the end of the log, and their bytes', () => {
    const { disk, table, writer } = newBench()
    const queue = table.getOrCreate('T', 0)
    push(queue, 35)
    writer.writeAll()
    assert.equal(truncateQueue(queue, 10_000), false)
    assert.equal(truncateQueue(queue, 1700), true)
    assert.equal(queue.nextOffset, 17)
    assert.equal(queue.maxPhysicalOffset, 1700)
    const again = newBench(disk).table.getOrCreate('T', 0)
    recoverQueueEnd(again, 'foreign')
    assert.equal(again.nextOffset, 17)
    assert.ok(
      disk
        .readFile('/store/consumequeue/T/0/00000000000000000200')!
        .subarray(140)
        .every(byte => byte === 0),
    )
  })

  it('begins in the middle with filling entries, which are never its minimum', () => {
    const { disk, table, writer } = newBench()
    const queue = table.getOrCreate('T', 0)
    queue.startAt(13, 0)
    queue.minOffset = 13
    push(queue, 4)
    writer.writeAll()
    assert.deepEqual(disk.paths(), ['/store/consumequeue/T/0/00000000000000000200'])
    const again = newBench(disk).table.getOrCreate('T', 0)
    recoverQueueEnd(again, 'foreign')
    correctMinOffset(again, 0)
    assert.equal(again.nextOffset, 17)
    assert.equal(again.minOffset, 13)
  })

  it('has its minimum at the first record that the log still has', () => {
    const { table, writer } = newBench()
    const queue = table.getOrCreate('T', 0)
    push(queue, 30)
    writer.writeAll()
    for (const [minPhysical, minOffset] of [
      [0, 0],
      [1, 1],
      [1200, 12],
      [2950, 30],
    ] as const) {
      correctMinOffset(queue, minPhysical)
      assert.equal(queue.minOffset, minOffset)
    }
  })
})

describe('the writer of consume queues', () => {
  it('knows the oldest entry that is not in its file', () => {
    const { table, writer } = newBench()
    const first = table.getOrCreate('A', 0)
    const second = table.getOrCreate('B', 0)
    first.push(500, 100, 0, 0, 1)
    second.push(600, 100, 0, 0, 2)
    first.push(700, 100, 0, 0, 3)
    for (const queue of [first, second]) queue.settle()
    assert.equal(writer.oldest()!.dirtySincePhysicalOffset, 500)
    writer.writeSome(1)
    assert.equal(writer.oldest()!.dirtySincePhysicalOffset, 600)
    first.push(800, 100, 0, 0, 4)
    first.settle()
    writer.writeSome(1)
    assert.equal(writer.oldest()!.dirtySincePhysicalOffset, 800)
    writer.writeAll()
    assert.equal(writer.oldest(), undefined)
  })
})

describe('names of queues', () => {
  it('are directories of their own, never a way out', () => {
    for (const name of ['T', '%RETRY%g', 'a.b', '...']) assert.equal(isDirectoryName(name), true, name)
    for (const name of ['', '.', '..', 'a/b', '../x', 'a\\b', 'a\0']) assert.equal(isDirectoryName(name), false, name)
  })
})
