import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeProperties, encodeProperties } from '@rocketmq-ts/model'
import { newScannedProperties, scanProperties } from '../../dist/send/properties-scan.js'
import { StoredProperties, withoutDelay } from '../../dist/send/stored-properties.js'

const options = { regionId: 'R1', traceOn: true, clusterName: 'C1' }

function stored(text: string, newUniqueKey?: string): Map<string, string> {
  const scanned = newScannedProperties()
  scanProperties(text, scanned)
  return decodeProperties(new StoredProperties(options).complete(text, scanned, newUniqueKey))
}

const added = { MSG_REGION: 'R1', TRACE_ON: 'true', CLUSTER: 'C1' }

test('the broker adds its region, trace switch and cluster', () => {
  assert.deepEqual(Object.fromEntries(stored(encodeProperties({ KEYS: 'k' }))), { KEYS: 'k', ...added })
})

test('a text without its last separator does not swallow what the broker adds', () => {
  assert.deepEqual(Object.fromEntries(stored('a\u0001b')), { a: 'b', ...added })
})

test('a unique key is added when the client sent none', () => {
  assert.deepEqual(Object.fromEntries(stored('', 'U')), { UNIQ_KEY: 'U', ...added })
})

test('POP_CK is dropped, and what the client says about region, trace and cluster does not count', () => {
  const text = encodeProperties({ POP_CK: 'x', MSG_REGION: 'old', TRACE_ON: 'false', CLUSTER: 'old', a: 'b' })
  assert.deepEqual(Object.fromEntries(stored(text)), { a: 'b', ...added })
})

test('settings changed while the broker runs show in the next message', () => {
  const live = { ...options }
  const properties = new StoredProperties(live)
  assert.equal(decodeProperties(properties.suffix()).get('MSG_REGION'), 'R1')
  live.regionId = 'R2'
  assert.equal(decodeProperties(properties.suffix()).get('MSG_REGION'), 'R2')
})

test('no delay or timer property survives its removal', () => {
  const text = encodeProperties({
    DELAY: '3',
    a: 'b',
    TIMER_DELAY_SEC: '1',
    TIMER_DELAY_MS: '1',
    TIMER_DELIVER_MS: '1',
  })
  assert.deepEqual([...decodeProperties(withoutDelay(text)).keys()], ['a'])
})
