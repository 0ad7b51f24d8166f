import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom } from '@rocketmq-ts/runtime'
import { SimDisk } from '@rocketmq-ts/testing'
import { Checkpoint, type ResumePoint } from '../dist/checkpoint.js'

const point: ResumePoint = {
  written: { offset: 5000, scanOffset: 4000 },
  durable: { offset: 3000, scanOffset: 2000 },
  indexSlotsOffset: 1234,
  durableFingerprint: 77,
  queueFileCount: 8,
  queueEntryCount: 99,
  bootId: 'a-boot',
}

function newDisk(): SimDisk {
  return new SimDisk({ random: seededRandom(1), now: () => 0 })
}

function saved(disk: SimDisk): Checkpoint {
  const checkpoint = new Checkpoint(disk, '/checkpoint')
  checkpoint.physicMsgTimestamp = 10_000
  checkpoint.logicsMsgTimestamp = 9_000
  checkpoint.indexMsgTimestamp = 4_000
  checkpoint.save(point)
  return checkpoint
}

function loaded(disk: SimDisk): Checkpoint {
  const checkpoint = new Checkpoint(disk, '/checkpoint')
  checkpoint.load()
  return checkpoint
}

describe('the checkpoint file', () => {
  it("has Java's fields where Java looks for them, in 4096 bytes", () => {
    const disk = newDisk()
    saved(disk)
    const bytes = disk.readFile('/checkpoint')!
    assert.equal(bytes.length, 4096)
    assert.equal(bytes.readBigInt64BE(0), 10_000n)
    assert.equal(bytes.readBigInt64BE(8), 9_000n)
    assert.equal(bytes.readBigInt64BE(16), 4_000n)
    assert.ok(bytes.subarray(24, 64).every(byte => byte === 0))
    assert.ok(
      bytes.subarray(512).every(byte => byte === 0),
      'all that counts lies in the first sector',
    )
  })

  it('gives back what was saved', () => {
    const disk = newDisk()
    saved(disk)
    const checkpoint = loaded(disk)
    assert.deepEqual(checkpoint.resumePoint, point)
    assert.equal(checkpoint.minTimestamp, 6_000)
    assert.equal(checkpoint.minTimestampIndex, 4_000)
  })

  it('has no resume point after Java has written its times, or when a byte of it is damaged', () => {
    for (const at of [3, 12, 70, 100, 140, 150, 170, 194]) {
      const disk = newDisk()
      saved(disk)
      const bytes = disk.readFile('/checkpoint')!
      bytes[at]! ^= 0x40
      disk.writeFile('/checkpoint', bytes)
      assert.equal(loaded(disk).resumePoint, undefined, `byte ${at}`)
    }
  })

  it('counts as zeros when absent, empty or short', () => {
    for (const content of [undefined, '', 'short']) {
      const disk = newDisk()
      if (content !== undefined) disk.writeFile('/checkpoint', content)
      const checkpoint = loaded(disk)
      assert.equal(checkpoint.physicMsgTimestamp, 0)
      assert.equal(checkpoint.minTimestamp, 0)
      assert.equal(checkpoint.resumePoint, undefined)
    }
  })

  it('is written only when something has changed', () => {
    const disk = newDisk()
    const checkpoint = saved(disk)
    const before = disk.changeCount
    checkpoint.save(point)
    assert.equal(disk.changeCount, before)
    checkpoint.logicsMsgTimestamp++
    checkpoint.save(point)
    assert.equal(disk.changeCount, before + 1)
  })
})
