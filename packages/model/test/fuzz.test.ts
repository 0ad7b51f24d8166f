import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  assertGroup,
  assertTopic,
  buildSubscription,
  decodeOffsetMessageId,
  decodePopReceipt,
  decodeProperties,
  decodeRecallHandle,
  decodeUniqueId,
  findProperty,
  namespaceOf,
  parseAddress,
  parseAttributeChanges,
  parseDelayLevels,
  parseHost,
  parsePopInfo,
  removeProperty,
  withNamespace,
  withoutNamespace,
} from '@rocketmq-ts/model'
import { type Random, RocketMqError, seededRandom } from '@rocketmq-ts/runtime'

/** Valid input of each reader, to be damaged, so that the damage lies deep. */
const seeds = [
  '42 1700000001000 60000 5 0 broker-a 3 43',
  '0 3 42,43,45;1 0 7;0 qo3%42 2',
  '0A00000200002A9F000000012A05F200',
  'djEgVG9waWNHb2xkZW4gYnJva2VyLWEgMTcwMDAwMDA2MDAwMSBDMEE4MDAwMTE2MkU3RTA3NzREODBDOUU1QjlCMDAwMA==',
  '+queue.type=BatchCQ,-message.type',
  '1s 5s 10m 2h 1d',
  'TagA || TagB||',
  'UNIQ_KEY\u0001C0A8\u0002TAGS\u0001TagA\u0002',
  '[2001:db8::1:2]:10911',
  '192.168.1.7:54321',
  '%RETRY%INST_1%CG_golden+TopicGolden',
]

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  assertGroup,
  assertTopic,
  buildSubscription: text => buildSubscription('T', text),
  decodeOffsetMessageId,
  decodePopReceipt,
  decodeProperties,
  decodeRecallHandle,
  decodeUniqueId,
  findProperty: text => findProperty(text, 'TAGS'),
  namespaceOf,
  parseAddress,
  parseAttributeChanges,
  parseDelayLevels,
  parseHost,
  parsePopInfo,
  removeProperty: text => removeProperty(text, 'TAGS'),
  withNamespace: text => withNamespace('INST_1', text),
  withoutNamespace: text => withoutNamespace(text, 'INST_1'),
}

const alphabet = '0123456789abcdefABCDEF:.,;|%+-=@ []\u0000\u0001\u0002\u00e9\ud83d\ude00'

function damaged(random: Random): string {
  const characters = [...seeds[random.int(seeds.length)]!]
  for (let edits = random.int(5); edits > 0; edits--) {
    const at = random.int(characters.length + 1)
    const removed = random.int(3)
    const added = Array.from({ length: random.int(4) }, () => alphabet[random.int(alphabet.length)]!)
    characters.splice(at, removed, ...added)
  }
  return characters.join('')
}

describe('readers of text', () => {
  for (const [name, read] of Object.entries(readers)) {
    test(`${name} takes any text or refuses it by an error of ours`, () => {
      const random = seededRandom(name.length * 7919)
      for (let round = 0; round < 4000; round++) {
        const text = damaged(random)
        try {
          read(text)
        } catch (error) {
          assert.ok(RocketMqError.is(error), `${JSON.stringify(text)}: ${String(error)}`)
        }
      }
    })
  }

  test('long text does not make them slow', () => {
    for (const character of alphabet) {
      for (const read of Object.values(readers)) {
        try {
          read(character.repeat(100_000))
        } catch (error) {
          assert.ok(RocketMqError.is(error), String(error))
        }
      }
    }
  })
})
