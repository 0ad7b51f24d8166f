import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  decodeProperties,
  encodeProperties,
  isReservedProperty,
  type Message,
  messageProperties,
} from '@rocketmq-ts/model'
import fc from 'fast-check'
import { propertiesTextOf } from '../../dist/producer/message-properties.js'

const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter(value => value.trim() !== '' && !value.includes('\u0001') && !value.includes('\u0002'))
const name = text.filter(value => !isReservedProperty(value) && value !== '__proto__')
const key = text.filter(value => !value.includes(' '))
const message: fc.Arbitrary<Message> = fc
  .record(
    {
      topic: fc.constant('T'),
      body: fc.constant('x'),
      tags: fc.oneof(fc.constant(''), text),
      keys: fc.oneof(fc.constant(''), key, fc.array(key, { maxLength: 3 })),
      properties: fc.dictionary(name, text, { maxKeys: 4 }),
      shardingKey: text,
      delayLevel: fc.integer({ min: 0, max: 18 }),
      waitStoreOk: fc.boolean(),
    },
    { requiredKeys: ['topic', 'body'] },
  )
  .map(record => record as Message)

test('the text built without a map says the same as the map of the model', () => {
  fc.assert(
    fc.property(message, candidate => {
      const expected = messageProperties(candidate).set('UNIQ_KEY', 'ID')
      assert.deepEqual(
        new Map([...decodeProperties(propertiesTextOf(candidate, 'ID'))].sort()),
        new Map([...decodeProperties(encodeProperties(expected))].sort()),
      )
    }),
  )
})
