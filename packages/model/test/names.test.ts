import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  assertGroup,
  assertTopic,
  buildSubscription,
  dlqTopic,
  groupOfRetryOrDlqTopic,
  groupProblem,
  isInNamespace,
  isLmq,
  isPredefinedGroup,
  isSendRefusedTopic,
  isSubscribeAll,
  isSystemGroup,
  isSystemPullGroup,
  isSystemTopic,
  isValidPerm,
  namespaceOf,
  permText,
  replyTopic,
  retryTopic,
  topicAllowsLmq,
  topicConfig,
  topicConfigText,
  topicProblem,
  vipAddress,
  withNamespace,
  withoutNamespace,
} from '@rocketmq-ts/model'
import { RocketMqError } from '@rocketmq-ts/runtime'
import { assertKinds, goldenVectors, type Vector } from './golden.ts'

const isInvalid = (error: unknown) => RocketMqError.is(error) && error.code === 'INVALID_ARGUMENT'

function each<V extends Vector>(kind: string, check: (vector: V) => void): void {
  for (const vector of goldenVectors<V>('names.json', kind)) test(`${vector.name} is as in Java`, () => check(vector))
}

describe('golden names', () => {
  test('all kinds of vectors are known', () => {
    assertKinds('names.json', [
      'wrapNamespace',
      'withoutNamespace',
      'validateTopic',
      'systemTopic',
      'groupKind',
      'subscription',
      'perm',
      'vip',
      'replyTopic',
      'lmq',
      'topicConfigText',
    ])
  })

  each<Vector & { namespace: string; resource: string; wrapped: string; alreadyWrapped: boolean }>(
    'wrapNamespace',
    ({ namespace, resource, wrapped, alreadyWrapped }) => {
      assert.equal(withNamespace(namespace, resource), wrapped)
      assert.equal(isInNamespace(resource, namespace), alreadyWrapped)
    },
  )

  each<Vector & { resource: string; unwrapped: string; unwrappedForInst1: string; namespace: string }>(
    'withoutNamespace',
    ({ resource, unwrapped, unwrappedForInst1, namespace }) => {
      assert.equal(withoutNamespace(resource), unwrapped)
      assert.equal(withoutNamespace(resource, 'INST_1'), unwrappedForInst1)
      assert.equal(namespaceOf(resource), namespace)
    },
  )

  each<Vector & { topic: string; valid: boolean; remark: string }>('validateTopic', ({ topic, valid, remark }) => {
    assert.equal(topicProblem(topic), valid ? undefined : remark)
    if (valid) assert.doesNotThrow(() => assertTopic(topic))
    else assert.throws(() => assertTopic(topic), isInvalid)
  })

  each<Vector & { topic: string; isSystem: boolean; notAllowedSend: boolean }>('systemTopic', vector => {
    assert.equal(isSystemTopic(vector.topic), vector.isSystem)
    assert.equal(isSendRefusedTopic(vector.topic), vector.notAllowedSend)
  })

  each<
    Vector & {
      group: string
      predefined: boolean
      sysGroup: boolean
      sysPullGroup: boolean
      retryTopic: string
      dlqTopic: string
    }
  >('groupKind', vector => {
    assert.equal(isPredefinedGroup(vector.group), vector.predefined)
    assert.equal(isSystemGroup(vector.group), vector.sysGroup)
    assert.equal(isSystemPullGroup(vector.group), vector.sysPullGroup)
    assert.equal(retryTopic(vector.group), vector.retryTopic)
    assert.equal(dlqTopic(vector.group), vector.dlqTopic)
    assert.equal(groupOfRetryOrDlqTopic(vector.retryTopic), vector.group)
    assert.equal(groupOfRetryOrDlqTopic(vector.dlqTopic), vector.group)
  })

  each<
    Vector & {
      subString: string | null
      expressionType: string | null
      error?: boolean
      result?: { subString: string; expressionType: string; tags: string[]; codes: number[] }
    }
  >('subscription', ({ subString, expressionType, error, result }) => {
    const build = () => buildSubscription('T', subString ?? undefined, expressionType ?? undefined, 5)
    if (error === true) return assert.throws(build, isInvalid)
    const { subString: text, expressionType: type, tagsSet, codeSet, subVersion, topic } = build()
    assert.deepEqual({ subString: text, expressionType: type, tags: tagsSet, codes: codeSet }, result)
    assert.deepEqual([topic, subVersion], ['T', 5])
  })

  each<Vector & { perm: number; text: string }>('perm', vector => {
    assert.equal(permText(vector.perm), vector.text)
    assert.ok(isValidPerm(vector.perm))
  })

  each<Vector & { address: string; vip: string }>('vip', vector => {
    assert.equal(vipAddress(vector.address), vector.vip)
  })

  each<Vector & { cluster: string; topic: string }>('replyTopic', vector => {
    assert.equal(replyTopic(vector.cluster), vector.topic)
  })

  each<Vector & { topic: string; isLmq: boolean }>('lmq', vector => {
    assert.equal(isLmq(vector.topic), vector.isLmq)
  })

  each<Vector & { text: string }>('topicConfigText', ({ text }) => {
    const [name, reads, writes, perm, , attributes] = text.split(' ')
    const config = topicConfig(name!, {
      readQueueNums: Number(reads),
      writeQueueNums: Number(writes),
      perm: Number(perm),
      attributes: JSON.parse(attributes!) as Record<string, string>,
    })
    assert.equal(topicConfigText(config), text)
  })
})

describe('names', () => {
  test('groups may be longer than topics, but not blank or of other characters', () => {
    assert.equal(groupProblem('a'.repeat(255)), undefined)
    assert.match(groupProblem('a'.repeat(256))!, /longer than group max length 255/)
    assert.match(groupProblem(' ')!, /blank/)
    assert.match(groupProblem('a.b')!, /illegal characters/)
    assert.throws(() => assertGroup(''), isInvalid)
    assert.doesNotThrow(() => assertGroup('G'))
  })

  test('a line break at the end is an illegal character', () => {
    assert.match(topicProblem('T\n')!, /illegal characters/)
  })

  test('permissions are 0 to 7', () => {
    for (const value of [-1, 8, 1.5, Number.NaN]) assert.equal(isValidPerm(value), false)
  })

  test('light queues are not filled from retry and system topics', () => {
    assert.ok(topicAllowsLmq('T'))
    for (const topic of ['%RETRY%G', 'rmq_sys_x', 'SCHEDULE_TOPIC_XXXX']) assert.equal(topicAllowsLmq(topic), false)
  })

  test('SQL needs an expression, and other types are refused', () => {
    assert.throws(() => buildSubscription('T', '', 'SQL92'), isInvalid)
    assert.throws(() => buildSubscription('T', 'a', 'LUA'), isInvalid)
    assert.equal(isSubscribeAll(buildSubscription('T', '*')), true)
    assert.equal(isSubscribeAll(buildSubscription('T', 'A')), false)
    assert.equal(isSubscribeAll(buildSubscription('T', '*', 'SQL92')), false)
  })

  test('a tag that is named twice counts once', () => {
    const { tagsSet, codeSet } = buildSubscription('T', 'A || B||A')
    assert.deepEqual(tagsSet, ['A', 'B'])
    assert.equal(codeSet.length, 2)
  })
})
