import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { indexKey, indexKeyHash, javaHashCode } from '@rocketmq-ts/model'
import { seededRandom, silentLogger } from '@rocketmq-ts/runtime'
import { SimClock, SimDisk } from '@rocketmq-ts/testing'
import fc from 'fast-check'
import { indexFileName, indexHash, KeyIndex } from '../../dist/index/key-index.js'

const topicHash = javaHashCode('T#')

function newIndex(disk: SimDisk, clock = new SimClock()): KeyIndex {
  return new KeyIndex({ disk, clock, logger: silentLogger }, '/index', { slotCount: 7, entryCount: 20 })
}

function newDisk(): SimDisk {
  return new SimDisk({ random: seededRandom(1), now: () => 0 })
}

async function find(index: KeyIndex, key: string, begin = 0, end = Number.MAX_SAFE_INTEGER, maxCount = 64) {
  return (await index.query({ topicHash, key, begin, end, maxCount })).physicalOffsets
}

function fill(index: KeyIndex, count: number, from = 0): void {
  for (let i = from; i < from + count; i++) index.put(topicHash, `u${i}`, undefined, i * 10, 100_000 + i * 1000)
  index.settle()
}

describe('the key index', () => {
  it('hashes as Java does, also the one hash that has no positive value', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ unit: 'grapheme' }), (topic, key) => {
        const hash = indexHash(javaHashCode(`${topic}#`), key, 0, key.length)
        assert.equal(hash, indexKeyHash(indexKey(topic, key)))
      }),
    )
    assert.equal(indexHash(-2147483648, '', 0, 0), 0)
  })

  it('finds messages under their unique key and each word of their keys', async () => {
    const index = newIndex(newDisk())
    index.put(topicHash, 'u1', 'a b  a', 10, 1000)
    index.put(topicHash, undefined, ' b', 20, 2000)
    index.put(topicHash, 'u3', undefined, 30, 3000)
    index.settle()
    assert.deepEqual(await find(index, 'u1'), [10])
    assert.deepEqual(await find(index, 'a'), [10, 10])
    assert.deepEqual(await find(index, 'b'), [10, 20])
    assert.deepEqual(await find(index, ''), [])
    assert.deepEqual(await find(index, 'u3', 0, 2999), [])
    assert.deepEqual(await find(index, 'b', 2000, 2000), [20])
    assert.deepEqual(await find(index, 'b', 0, 9999, 1), [20], 'the newest first when not all are wanted')
  })

  it('goes on in a new file when one is full, without tearing a message apart', async () => {
    const disk = newDisk()
    const index = newIndex(disk)
    fill(index, 17)
    index.put(topicHash, 'x', 'y z', 170, 117_000)
    index.settle()
    assert.equal(index.files.length, 2)
    for (const key of ['x', 'y', 'z']) assert.deepEqual(await find(index, key), [170])
    assert.deepEqual(await find(index, 'u3'), [30])
    index.writeEntries()
    const [first, second] = disk.paths()
    assert.equal(disk.stat(first!)!.size, 40 + 7 * 4 + 20 * 20)
    assert.equal(disk.readFile(second!)!.readInt32BE(36), 4, 'number of the next entry')
    assert.equal(disk.readFile(second!)!.readBigInt64BE(16), 170n)
  })

  it('is complete after a crash that kept entries and lost slots', async () => {
    const disk = newDisk()
    const index = newIndex(disk)
    fill(index, 10)
    index.writeEntries()
    index.writeAllSlots()
    const known = index.slotsWrittenOffset
    fill(index, 20, 10)
    index.writeEntries()
    const again = newIndex(disk)
    again.load(() => false)
    again.replaySlots(known)
    for (let i = 0; i < 30; i++) assert.deepEqual(await find(again, `u${i}`), [i * 10])
    assert.equal(again.endPhysicalOffset, 290)
  })

  it('forgets the entries of records that are gone, and can index them anew', async () => {
    const disk = newDisk()
    const index = newIndex(disk)
    fill(index, 30)
    index.writeEntries()
    const again = newIndex(disk)
    again.load(() => false)
    again.cutAt(150)
    assert.equal(again.endPhysicalOffset, 140)
    assert.deepEqual(await find(again, 'u14'), [140])
    assert.deepEqual(await find(again, 'u15'), [])
    fill(again, 10, 15)
    for (let i = 0; i < 25; i++) assert.deepEqual(await find(again, `u${i}`), [i * 10])
  })

  it('takes back the entries of a turn that could not be written, also over the border of two files', async () => {
    const index = newIndex(newDisk())
    fill(index, 15)
    for (let i = 15; i < 30; i++) index.put(topicHash, `u${i}`, undefined, i * 10, 100_000)
    assert.equal(index.files.length, 2)
    index.rollBack()
    assert.equal(index.files.length, 1)
    assert.deepEqual(await find(index, 'u15'), [])
    fill(index, 3, 15)
    for (let i = 0; i < 18; i++) assert.deepEqual(await find(index, `u${i}`), [i * 10])
  })

  it('names files by local time, skips other names and removes expired files but the last', () => {
    assert.equal(indexFileName(new Date(2026, 0, 2, 3, 4, 5, 6).getTime()), '20260102030405006')
    const disk = newDisk()
    const index = newIndex(disk)
    fill(index, 60)
    index.writeEntries()
    disk.writeFile('/index/readme', 'x')
    const again = newIndex(disk)
    again.load(() => false)
    const count = again.files.length
    assert.ok(count >= 3)
    again.removeBefore(200)
    assert.equal(again.files.length, count - 1)
    again.removeBefore(10_000)
    assert.equal(again.files.length, 1)
  })
})
