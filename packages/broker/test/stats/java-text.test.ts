import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byteCountText, runtimeText, timeText } from '../../dist/stats/java-text.js'

test('byte counts have one decimal and binary units', () => {
  assert.equal(byteCountText(0), '0 B')
  assert.equal(byteCountText(1023), '1023 B')
  assert.equal(byteCountText(6_554), '6.4 KiB')
  assert.equal(byteCountText(252 * 1024 ** 3), '252.0 GiB')
})

test('the time of running is split, and the thousands of days grouped', () => {
  assert.equal(runtimeText(405_999), '[ 0 days, 0 hours, 6 minutes, 45 seconds ]')
  assert.equal(runtimeText(1234 * 86_400_000 + 3_600_000), '[ 1,234 days, 1 hours, 0 minutes, 0 seconds ]')
})

test('moments are written in local time', () => {
  assert.equal(timeText(new Date(2026, 10, 30, 10, 2, 44, 5).getTime()), '2026-11-30#10:02:44:005')
})
