import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import {
  consumerOffsetWrapper,
  delayOffsetWrapper,
  type JsonBody,
  subscriptionGroupWrapper,
  timerMetrics,
  topicConfigSerializeWrapper,
} from '@rocketmq-ts/protocol'

/** Files that a broker of RocketMQ 5.3.3 left behind after a clean stop. */
function fileText(name: string): string {
  return readFileSync(new URL(`../../test/golden/config/${name}`, import.meta.url), 'utf8')
}

describe('the tables that a Java broker keeps in files', () => {
  const files: Readonly<Record<string, JsonBody<unknown>>> = {
    'topics.json': topicConfigSerializeWrapper,
    'consumerOffset.json': consumerOffsetWrapper,
    'subscriptionGroup.json': subscriptionGroupWrapper,
    'delayOffset.json': delayOffsetWrapper,
  }

  for (const [name, body] of Object.entries(files)) {
    test(`${name} is read and written back to the same text`, () => {
      const text = fileText(name)
      assert.equal(body.stringifyPretty(body.parse(text)), text)
    })
  }

  test('timermetrics is read and written back to the same text', () => {
    const text = fileText('timermetrics')
    assert.equal(timerMetrics.stringify(timerMetrics.parse(text)), text)
  })
})
