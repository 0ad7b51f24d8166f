import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom, silentLogger } from '@rocketmq-ts/runtime'
import { SimDisk } from '@rocketmq-ts/testing'
import { DeletedTopics } from '../dist/deleted-topics.js'

const PATH = '/store/deletedTopics'

function newDisk(): SimDisk {
  const disk = new SimDisk({ random: seededRandom(1), now: () => 0 })
  disk.makeDirectory('/store')
  disk.syncDirectory('/')
  return disk
}

function load(disk: SimDisk): DeletedTopics {
  const topics = new DeletedTopics(disk, '/store', silentLogger)
  topics.load()
  return topics
}

describe('the deleted topics', () => {
  it('are remembered over power loss, with the records that were there then', () => {
    const disk = newDisk()
    const first = load(disk)
    first.add('A', 1000, 500)
    first.add('with blank', 2000, 600)
    disk.restartAfterPowerLoss()
    const topics = load(disk)
    assert.equal(topics.isDeleted('A', 999, 500), true)
    assert.equal(topics.isDeleted('with blank', 1999, 600), true)
    assert.equal(topics.isDeleted('A', 1000, 500), false, 'a record that came later')
    assert.equal(topics.isDeleted('A', 900, 501), false, 'a later record of a log that had lost its end')
    assert.equal(topics.isDeleted('B', 0, 0), false)
  })

  it('do without a line that a crash cut off, and the next one takes its place', () => {
    const disk = newDisk()
    load(disk).add('A', 1000, 500)
    disk.writeFile(PATH, `${disk.readFile(PATH)}2000 600 Bee`)
    const topics = load(disk)
    assert.equal(topics.isDeleted('Bee', 0, 0), false)
    topics.add('C', 3000, 700)
    assert.equal(String(disk.readFile(PATH)), '1000 500 A\n3000 700 C\n')
  })

  it('are forgotten when the log no longer holds anything of them', () => {
    const disk = newDisk()
    const topics = load(disk)
    topics.add('A', 1000, 500)
    topics.add('B', 2000, 600)
    topics.add('B', 3000, 700)
    topics.settle(1000, 2500)
    assert.equal(String(disk.readFile(PATH)), '2500 700 B\n')
    topics.settle(2500, 9000)
    assert.equal(disk.stat(PATH), undefined)
    assert.equal(topics.isDeleted('B', 0, 0), false)
  })

  it('stay as they were when the disk takes no more', () => {
    const disk = newDisk()
    const topics = load(disk)
    topics.add('A', 1000, 500)
    disk.hook = operation => (operation === 'write' ? 'ENOSPC' : undefined)
    assert.throws(() => topics.add('A', 2000, 600), { code: 'DISK_FULL' })
    assert.throws(() => topics.add('B', 2000, 600), { code: 'DISK_FULL' })
    disk.hook = undefined
    assert.equal(topics.isDeleted('A', 1500, 500), false)
    assert.equal(topics.isDeleted('B', 1500, 500), false)
    topics.add('B', 2000, 600)
    assert.equal(String(disk.readFile(PATH)), '1000 500 A\n2000 600 B\n')
  })
})
