import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CURRENT_VERSION, versionName } from '@rocketmq-ts/protocol'
import { goldenVectors } from './golden.ts'

interface FlagVector {
  name: string
  kind: string
  ordinal: number
  text: string
}

for (const { name, ordinal, text } of goldenVectors<FlagVector>('flags.json').filter(v => v.kind === 'version')) {
  test(`${name} prints as Java prints it`, () => assert.equal(versionName(ordinal), text))
}

test('the irregular first ordinals and the edges of the lines have their names', () => {
  const expected: [number, string][] = [
    [0, 'V3_0_0_SNAPSHOT'],
    [15, 'V3_0_0_FINAL'],
    [16, 'V3_0_1_SNAPSHOT'],
    [45, 'V3_0_15'],
    [47, 'V3_1_0'],
    [85, 'V3_2_9'],
    [87, 'V3_3_1'],
    [211, 'V3_9_9'],
    [213, 'V4_0_0'],
    [-1, 'HIGHER_VERSION'],
  ]
  for (const [ordinal, text] of expected) assert.equal(versionName(ordinal), text)
  assert.equal(versionName(CURRENT_VERSION), 'V5_3_3')
})
