import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeProperties, encodeProperties, tagsCodeOf } from '@rocketmq-ts/model'
import fc from 'fast-check'
import { newScannedProperties, scanProperties } from '../../dist/send/properties-scan.js'

const names = [
  'KEYS',
  'TAGS',
  'UNIQ_KEY',
  'WAIT',
  'DELAY',
  'TRAN_MSG',
  'POP_CK',
  'CLUSTER',
  'TIMER_DELAY_MS',
  'x',
  'user',
]
const name = fc.oneof(
  fc.constantFrom(...names),
  fc.string({ unit: fc.constantFrom('a', 'B', '_', '%', 'ü', '\u0001') }),
)
const value = fc.string({ unit: fc.constantFrom('a', 't', 'r', 'u', 'e', '1', ' ', '中', '\u0001') })
const entry = fc.tuple(name, fc.constantFrom('\u0001', ''), value, fc.constantFrom('\u0002', '\u0002', '\u0002', ''))
const anyText = fc.array(entry, { maxLength: 8 }).map(entries => entries.map(parts => parts.join('')).join(''))

test('scanning a properties text finds what the map of all properties holds', () => {
  const found = newScannedProperties()
  fc.assert(
    fc.property(anyText, text => {
      scanProperties(text, found)
      const map = decodeProperties(text)
      assert.equal(found.keys, map.get('KEYS'))
      assert.equal(found.uniqueKey, map.get('UNIQ_KEY'))
      assert.equal(found.tagsCode, tagsCodeOf(map.get('TAGS')))
      assert.equal(found.delayText, map.get('DELAY'))
      assert.equal(found.isWaitStoreOk, (map.get('WAIT') ?? 'true').toLowerCase() === 'true')
      assert.equal(found.isTransaction, map.get('TRAN_MSG')?.toLowerCase() === 'true')
      assert.equal(found.isTimer, map.has('TIMER_DELAY_MS'))
    }),
    { numRuns: 2000 },
  )
})

test('a text that is not marked for rewriting holds only entries that readers keep, and none of the broker', () => {
  const found = newScannedProperties()
  fc.assert(
    fc.property(anyText, text => {
      scanProperties(text, found)
      if (found.needsRewrite) return
      const map = decodeProperties(text)
      for (const own of ['POP_CK', 'CLUSTER']) assert.ok(!map.has(own))
      const terminated = found.isTerminated ? text : `${text}\u0002`
      const entries = terminated.split('\u0002').slice(0, -1)
      assert.deepEqual(new Set(entries.map(item => item.slice(0, item.indexOf('\u0001')))), new Set(map.keys()))
    }),
    { numRuns: 2000 },
  )
})

test('each name that the broker writes or removes asks for a rewrite', () => {
  const found = newScannedProperties()
  for (const own of ['POP_CK', 'MSG_REGION', 'TRACE_ON', 'CLUSTER', '__CRC32#']) {
    scanProperties(
      encodeProperties([
        ['a', 'b'],
        [own, 'v'],
      ]),
      found,
    )
    assert.equal(found.needsRewrite, true, own)
  }
  scanProperties(
    encodeProperties([
      ['MSG_REGIONS', 'v'],
      ['CLUSTERX', 'v'],
      ['TRACE_O', 'v'],
    ]),
    found,
  )
  assert.equal(found.needsRewrite, false)
})

test('a result object carries nothing over to the next text', () => {
  const found = newScannedProperties()
  scanProperties(
    encodeProperties([
      ['KEYS', 'k'],
      ['TAGS', 't'],
      ['UNIQ_KEY', 'u'],
      ['WAIT', 'false'],
      ['DELAY', '3'],
    ]),
    found,
  )
  scanProperties('', found)
  assert.deepEqual(found, newScannedProperties())
})
