import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BloomFilter, compileSelection } from '@rocketmq-ts/filter'
import { propertiesOfRecord } from '../../dist/filter/record-properties.js'
import { SelectionFilter } from '../../dist/filter/selection-filter.js'

const bloomFilter = new BloomFilter(20, 32)
const positions = bloomFilter.positionsOf('g#T')
const selection = compileSelection('a > 1')

test('a bit map decides only for messages younger than the selection, and when it has the right size', () => {
  const filter = new SelectionFilter(selection, { bloomFilter, positions, bornTimeMs: 1000 })
  const unit = (storeTimestamp: number, bitMap: Buffer | undefined) => ({
    tagsHigh: 0,
    tagsLow: 0,
    storeTimestamp,
    bitMap,
  })
  const set = bloomFilter.newMap()
  bloomFilter.add(set, positions)
  assert.equal(filter.matchesEntry(0, 0, undefined), true)
  assert.equal(filter.matchesEntry(0, 0, unit(1001, set)), true)
  assert.equal(filter.matchesEntry(0, 0, unit(1001, bloomFilter.newMap())), false)
  assert.equal(filter.matchesEntry(0, 0, unit(1000, bloomFilter.newMap())), true)
  assert.equal(filter.matchesEntry(0, 0, unit(1001, undefined)), true)
  assert.equal(filter.matchesEntry(0, 0, unit(1001, Buffer.alloc(8))), true)
  assert.equal(new SelectionFilter(selection).matchesEntry(0, 0, unit(1001, bloomFilter.newMap())), true)
})

test('bytes that are no record have no properties, whatever their lengths say', () => {
  for (let length = 40; length < 140; length++) {
    for (const byte of [0, 1, 0x7f, 0xff]) assert.equal(typeof propertiesOfRecord(Buffer.alloc(length, byte)), 'string')
  }
  assert.equal(new SelectionFilter(selection).matchesRecord(Buffer.alloc(100, 0xff)), false)
})
