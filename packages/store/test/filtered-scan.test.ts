import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogReader } from '../dist/commit-log/log-reader.js'
import { ENTRY_INTS, setEntry } from '../dist/consume-queue/entries.js'
import { FilteredScan } from '../dist/filtered-scan.js'

const SIZE = 8

/** Entries 0 … whose records lie at 100 * (number + 1) and hold their number; odd ones are wanted. */
function scanOf(count: number, isCold: (number: number) => boolean = () => false, maxCount = 100) {
  const ints = new Int32Array(count * ENTRY_INTS)
  for (let i = 0; i < count; i++) setEntry(ints, i, 100 * (i + 1), SIZE, 0, 0)
  const read: number[] = []
  const record = (number: number) => {
    const bytes = Buffer.alloc(SIZE)
    bytes.writeInt32BE(SIZE, 0)
    bytes.writeInt32BE(number, 4)
    return bytes
  }
  const logReader = {
    read(offset: number) {
      const number = offset / 100 - 1
      read.push(number)
      return isCold(number) ? Promise.resolve(record(number)) : record(number)
    },
  } as unknown as LogReader
  const window = { ints, first: 0, firstOffset: 0, count }
  const scan = new FilteredScan(window, {
    logReader,
    filter: { matchesEntry: () => true, matchesRecord: bytes => bytes.readInt32BE(4) % 2 === 1 },
    maxCount,
    entryMax: count,
    minPhysicalOffset: 250,
    matchesEntry: (entries, index) => entries[index * ENTRY_INTS + 1] !== 500,
    isFull: (_bytes, messages) => messages > 10,
  })
  return { ints, scan, read, numbers: () => scan.parts.map(part => part.readInt32BE(4)) }
}

test('a scan goes on over what its filter leaves out, reads nothing that the entry rules out, and passes removed ones', () => {
  const { scan, read, numbers } = scanOf(9)
  assert.equal(scan.run(), undefined)
  assert.deepEqual(numbers(), [3, 5, 7])
  assert.deepEqual(read, [2, 3, 5, 6, 7, 8])
  assert.deepEqual([scan.scanned, scan.bytes, scan.lastPhysicalOffset, scan.sawRemoved], [9, 24, 900, true])
})

test('a scan ends at the count, and where the answer is full, with the next entry still to do', () => {
  const few = scanOf(40, undefined, 2)
  few.scan.run()
  assert.deepEqual([few.numbers(), few.scan.scanned], [[3, 5], 6])
  const many = scanOf(40)
  many.scan.run()
  assert.deepEqual([many.scan.parts.length, many.scan.scanned], [10, 22])
})

test('a record that must be waited for is taken in its place, though the entries in memory move meanwhile', async () => {
  const { ints, scan, numbers } = scanOf(12, number => number === 3 || number === 8 || number === 11)
  const waiting = scan.run()
  assert.ok(waiting instanceof Promise)
  await Promise.resolve().then(() => ints.fill(0))
  await waiting
  assert.deepEqual(numbers(), [3, 5, 7, 9, 11])
  assert.equal(scan.scanned, 12)
})

test('a record that is gone, or another one, counts as removed', () => {
  const { scan, numbers } = scanOf(4)
  const other = new FilteredScan(
    { ints: new Int32Array(ENTRY_INTS).fill(1), first: 0, firstOffset: 0, count: 1 },
    {
      logReader: { read: () => undefined } as unknown as LogReader,
      filter: { matchesEntry: () => true, matchesRecord: () => true },
      maxCount: 1,
      entryMax: 1,
      minPhysicalOffset: 0,
      matchesEntry: () => true,
      isFull: () => false,
    },
  )
  other.run()
  assert.deepEqual([other.parts.length, other.sawRemoved, other.scanned], [0, true, 1])
  scan.run()
  assert.deepEqual(numbers(), [3])
})
