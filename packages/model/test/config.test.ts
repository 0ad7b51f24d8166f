import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  alterAttributes,
  compareDataVersions,
  DEFAULT_DELAY_LEVELS,
  dataVersionsEqual,
  defaultSubscriptionGroup,
  delayOfLevel,
  formatAttributeChanges,
  initialDataVersion,
  nextDataVersion,
  parseAttributeChanges,
  parseDelayLevels,
} from '@rocketmq-ts/model'
import { RocketMqError } from '@rocketmq-ts/runtime'

const isCode = (code: string) => (error: unknown) => RocketMqError.is(error) && error.code === code

describe('topic attributes', () => {
  test('changes are read and written with their sign', () => {
    const text = '+message.type=FIFO,-reserve.time'
    const changes = parseAttributeChanges(text)
    assert.deepEqual(
      [...changes],
      [
        ['+message.type', 'FIFO'],
        ['-reserve.time', ''],
      ],
    )
    assert.equal(formatAttributeChanges(changes), text)
    assert.equal(parseAttributeChanges('').size, 0)
  })

  test('a change without sign or value, or made twice, is refused', () => {
    for (const text of ['message.type=FIFO', 'message.type', '+a=', '=', '+a=b,+a=c', ',+a=b']) {
      assert.throws(() => parseAttributeChanges(text), isCode('INVALID_ARGUMENT'), text)
    }
  })

  const alter = (isCreation: boolean, current: Record<string, string>, text: string) =>
    alterAttributes(isCreation, current, parseAttributeChanges(text))

  test('on creation all attributes may be set', () => {
    assert.deepEqual(alter(true, {}, '+queue.type=BatchCQ,+cleanup.policy=COMPACTION,+reserve.time=-1'), {
      'queue.type': 'BatchCQ',
      'cleanup.policy': 'COMPACTION',
      'reserve.time': '-1',
    })
  })

  test('later, changeable ones may be added, changed and removed', () => {
    const current = { 'message.type': 'NORMAL' }
    assert.deepEqual(alter(false, current, '+message.type=FIFO'), { 'message.type': 'FIFO' })
    assert.deepEqual(alter(false, current, '+reserve.time=72'), { 'message.type': 'NORMAL', 'reserve.time': '72' })
    assert.deepEqual(alter(false, current, '-message.type'), {})
    assert.deepEqual(current, { 'message.type': 'NORMAL' })
  })

  test('everything else is refused', () => {
    const cases: [boolean, string, RegExp][] = [
      [true, '-message.type', /only add attribute/],
      [false, '-message.type', /nonexistent key/],
      [false, '+queue.type=BatchCQ', /unchangeable/],
      [true, '+unknown=1', /unsupported key/],
      [true, '+message.type=OTHER', /not in set/],
      [true, '+reserve.time=-2', /not in range/],
      [true, '+reserve.time=9223372036854775808', /not in range/],
      [true, '+reserve.time=1h', /input string/],
      [true, '++a=b', /format wrong/],
      [true, '+toString=x', /unsupported key/],
    ]
    for (const [isCreation, text, message] of cases) {
      assert.throws(() => alter(isCreation, {}, text), message, text)
    }
    assert.throws(
      () =>
        alterAttributes(true, {}, [
          ['+message.type', 'FIFO'],
          ['-message.type', ''],
        ]),
      /duplication/,
    )
    assert.throws(() => alterAttributes(false, {}, [['message.type', 'FIFO']]), isCode('INVALID_ARGUMENT'))
  })
})

describe('data versions', () => {
  test('an edit counts one and takes the time', () => {
    const first = initialDataVersion(1000)
    const second = nextDataVersion(first, 2000)
    assert.deepEqual(second, { stateVersion: 0, timestamp: 2000, counter: 1 })
    assert.deepEqual(nextDataVersion(second, 3000, 7), { stateVersion: 7, timestamp: 3000, counter: 2 })
  })

  test('are equal by all three numbers and ordered by state, count, time', () => {
    const base = { stateVersion: 1, timestamp: 10, counter: 5 }
    assert.ok(dataVersionsEqual(base, { ...base }))
    for (const [other, order] of [
      [{ stateVersion: 2, counter: 0 }, -1],
      [{ counter: 4, timestamp: 99 }, 1],
      [{ timestamp: 11 }, -1],
    ] as const) {
      assert.ok(!dataVersionsEqual(base, { ...base, ...other }))
      assert.equal(compareDataVersions(base, { ...base, ...other }), order)
    }
    assert.equal(compareDataVersions(base, { ...base }), 0)
  })
})

describe('delay levels', () => {
  test('the default has 18, from a second to two hours', () => {
    const levels = parseDelayLevels(DEFAULT_DELAY_LEVELS)
    assert.equal(levels.length, 18)
    assert.equal(delayOfLevel(levels, 1), 1000)
    assert.equal(delayOfLevel(levels, 5), 60_000)
    assert.equal(delayOfLevel(levels, 18), 7_200_000)
    assert.equal(delayOfLevel(levels, 99), 7_200_000)
    assert.equal(delayOfLevel(levels, 0), 0)
    assert.deepEqual(parseDelayLevels('1d'), [86_400_000])
  })

  test('a word that is no delay is refused', () => {
    for (const text of ['', '1', 's', '1x', '1s  5s', '-1s', '1.5s']) {
      assert.throws(() => parseDelayLevels(text), isCode('CONFIG_INVALID'), text)
    }
  })
})

describe('subscription groups', () => {
  test('a new group retries 16 times and may consume', () => {
    const group = defaultSubscriptionGroup('G', { retryMaxTimes: 3 })
    assert.equal(group.retryMaxTimes, 3)
    assert.equal(group.consumeEnable, true)
    assert.equal(defaultSubscriptionGroup('G').retryMaxTimes, 16)
  })
})
