import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seededRandom, silentLogger } from '@rocketmq-ts/runtime'
import { SimDisk } from '@rocketmq-ts/testing'
import {
  ConsumeQueueExt,
  extAddressHigh,
  extAddressOf,
  isExtAddress,
} from '../../dist/consume-queue/consume-queue-ext.js'
import { OpenFiles } from '../../dist/segment/open-files.js'

function newExt(disk: SimDisk): ConsumeQueueExt {
  return new ConsumeQueueExt({ disk, openFiles: new OpenFiles(disk, 10), logger: silentLogger }, '/ext', 100)
}

function newDisk(): SimDisk {
  return new SimDisk({ random: seededRandom(1), now: () => 0 })
}

describe('the extension of a consume queue', () => {
  it('gives back each unit by its address, before and after it is written', () => {
    const disk = newDisk()
    const ext = newExt(disk)
    const addresses = [undefined, Buffer.from([1, 2, 3]), Buffer.alloc(14, 9), undefined, Buffer.from([7])].map(
      (bitMap, index) => ext.append(-1, -index, 1_700_000_000_000 + index, bitMap),
    )
    // 20 + 23 + 34 fit into 100 bytes, the next would leave fewer than 4.
    assert.deepEqual(addresses, [0, 20, 43, 100, 120])
    for (let round = 0; round < 2; round++) {
      const unit = ext.get(20)!
      assert.equal(unit.tagsLow, -1)
      assert.equal(unit.storeTimestamp, 1_700_000_000_001)
      assert.deepEqual(unit.bitMap, Buffer.from([1, 2, 3]))
      assert.equal(ext.get(100)!.bitMap, undefined)
      assert.equal(ext.get(141), undefined)
      ext.settle()
      ext.writeUnits()
    }
    assert.equal(disk.readFile('/ext/00000000000000000000')!.readInt16BE(77), -1)
    const again = newExt(disk)
    again.recover(false)
    assert.equal(again.append(0, 0, 0, undefined), 141)
  })

  it('forgets units behind an address, and those of a turn that failed', () => {
    const disk = newDisk()
    const ext = newExt(disk)
    for (let i = 0; i < 3; i++) ext.append(0, i, 0, undefined)
    ext.settle()
    ext.append(0, 9, 0, undefined)
    ext.rollBack()
    assert.equal(ext.append(0, 3, 0, undefined), 60)
    ext.settle()
    ext.writeUnits()
    ext.truncateAfter(20)
    assert.equal(ext.append(0, 4, 0, undefined), 40)
  })

  it('marks addresses so that no hash of a tag is one', () => {
    for (const address of [0, 20, 2 ** 31, 2 ** 40 + 5]) {
      const high = extAddressHigh(address)
      const low = address | 0
      assert.equal(isExtAddress(high, low), true)
      assert.equal(extAddressOf(high, low), address)
      assert.equal(BigInt(high) * 4294967296n + BigInt(low >>> 0), BigInt(address) - 2n ** 63n)
    }
    for (const hash of [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)]) assert.equal(isExtAddress(hash >> 31, hash), false)
  })
})
