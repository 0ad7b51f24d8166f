import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { javaHashCode } from '@rocketmq-ts/model'
import {
  consumerRunningInfo,
  encodeStrictTopicRoute,
  getConsumerStatusBody,
  type HeartbeatData,
  heartbeatData,
  heartbeatFingerprint,
  queryConsumeQueueResponseBody,
  resetOffsetBody,
  subscriptionGroupConfigBody,
  timerCheckpoint,
  topicConfigBody,
  topicRouteData,
} from '@rocketmq-ts/protocol'
import { RocketMqError } from '@rocketmq-ts/runtime'
import { goldenVectors } from '../golden.ts'

interface BodyVector {
  readonly name: string
  readonly hex: string
  readonly fingerprint?: number
  readonly fingerprintSource?: string
  readonly decoded: Record<string, string>
}

function bytesOf(name: string): Buffer {
  return Buffer.from(vectorOf(name).hex, 'hex')
}

function vectorOf(name: string): BodyVector {
  const vector = goldenVectors<BodyVector>('bodies.json').find(candidate => candidate.name === name)
  assert.ok(vector !== undefined)
  return vector
}

describe('heartbeats', () => {
  test('the fingerprint is the one that Java computes, whatever client and subscription versions', () => {
    const vector = vectorOf('heartbeat_v2_with_sub')
    const data = heartbeatData.decode(bytesOf('heartbeat_v2_with_sub'))
    assert.equal(javaHashCode(vector.fingerprintSource!), vector.fingerprint)
    // Java's source text lists the producers in another order than the body that it sent.
    const inSourceOrder: HeartbeatData = heartbeatData.parse(vector.fingerprintSource!)
    assert.equal(heartbeatFingerprint({ ...inSourceOrder, clientID: 'x', withoutSub: true }), vector.fingerprint)
    assert.equal(
      heartbeatFingerprint({ ...data, producerDataSet: inSourceOrder.producerDataSet, heartbeatFingerprint: 9 }),
      vector.fingerprint,
    )
  })
})

describe('routes', () => {
  test('the strict form is what Java writes', () => {
    const route = topicRouteData.decode(bytesOf('topic_route_standard'))
    assert.equal(encodeStrictTopicRoute(route).toString(), bytesOf('topic_route_standard').toString())
    const legacy = topicRouteData.decode(bytesOf('topic_route_legacy'))
    assert.deepEqual(legacy, route)
  })

  test('the strict form writes integers beyond 2^53 as text', () => {
    const text = encodeStrictTopicRoute(topicRouteData.decode(bytesOf('topic_route_standard_mapping'))).toString()
    assert.match(text, /"epoch":"9007199254740992"/)
  })
})

describe('reading bodies', () => {
  test('missing and null parts get Java defaults, unknown names are ignored', () => {
    const config = subscriptionGroupConfigBody.parse('{"groupName":"G","retryMaxTimes":null,"somethingNew":{"a":[1]}}')
    assert.equal(config.retryMaxTimes, 16)
    assert.equal(config.consumeEnable, true)
    assert.deepEqual(config.groupRetryPolicy, { type: 'CUSTOMIZED' })
    assert.equal('subscriptionDataSet' in config, false)
  })

  test('the first letter of a name may have the other case, numbers may be text and text numbers', () => {
    const config = topicConfigBody.parse('{"TopicName":123,"ReadQueueNums":"4","Order":"true","attributes":{"a":1}}')
    assert.equal(config.topicName, '123')
    assert.equal(config.readQueueNums, 4)
    assert.equal(config.order, true)
    assert.deepEqual(config.attributes, { a: '1' })
  })

  test('queues as names may be text that holds the object', () => {
    const text =
      '{"offsetTable":{"{\\"topic\\":\\"T\\",\\"brokerName\\":\\"b\\",\\"queueId\\":2}":"9223372036854775807"}}'
    assert.deepEqual(
      [...resetOffsetBody.parse(text).offsetTable],
      [[{ topic: 'T', brokerName: 'b', queueId: 2 }, 2 ** 63]],
    )
  })

  test('Long.MAX_VALUE is written as it was read', () => {
    const text = '{"offsetTable":{{"brokerName":"b","queueId":2,"topic":"T"}:9223372036854775807}}'
    assert.equal(resetOffsetBody.stringify(resetOffsetBody.parse(text)), text)
  })

  test('tags codes keep all 64 bits', () => {
    const text = '{"maxQueueIndex":1,"minQueueIndex":0,"queueData":[{"tagsCode":-9223372036854775807}]}'
    assert.equal(queryConsumeQueueResponseBody.parse(text).queueData?.[0]?.tagsCode, -9223372036854775807n)
  })

  test('a stack dump with raw line breaks, as the Go client sends it, is read', () => {
    assert.equal(consumerRunningInfo.parse('{"jstack":"goroutine 1\n\tmain.go"}').jstack, 'goroutine 1\n\tmain.go')
  })

  test('an error names the place in the body', () => {
    const cases: [() => unknown, RegExp][] = [
      [
        () => topicRouteData.parse('{"queueDatas":[{},{"perm":"x"}]}'),
        /at \.queueDatas\[1\]\.perm: expected a 32-bit integer/,
      ],
      [
        () => topicRouteData.parse('{"brokerDatas":[{"brokerAddrs":{"a":"b"}}]}'),
        /brokerAddrs: expected an integer as name/,
      ],
      [() => topicRouteData.parse('{"brokerDatas":{}}'), /\.brokerDatas: expected an array, found an object/],
      [() => topicRouteData.parse('[]'), /Body: expected an object, found an array/],
      [() => topicRouteData.parse('null'), /Body: expected a body/],
      [() => getConsumerStatusBody.parse('{"consumerTable":{"c":{"{":1}}}'), /JSON at character 1/],
      [() => topicConfigBody.parse('{"perm":2147483648}'), /\.perm: expected a 32-bit integer/],
      [() => topicConfigBody.parse('{"topicFilterType":"NONE"}'), /expected SINGLE_TAG\|MULTI_TAG/],
      [() => topicConfigBody.parse(''), /the text ends too early/],
    ]
    for (const [call, message] of cases) {
      assert.throws(call, (error: unknown) => {
        assert.ok(RocketMqError.is(error) && error.code === 'BODY_INVALID')
        assert.match(error.message, message)
        return true
      })
    }
  })

  test('names that every object inherits are not taken for parts of a body', () => {
    assert.deepEqual(topicRouteData.parse('{}').filterServerTable, new Map())
    const config = topicConfigBody.parse('{"attributes":{"__proto__":"x","constructor":"y"}}')
    assert.deepEqual(Object.keys(config.attributes), ['__proto__', 'constructor'])
    assert.match(topicConfigBody.stringify(config), /"__proto__":"x"/)
  })
})

describe('the timer checkpoint', () => {
  const bytes = bytesOf('timer_checkpoint')

  test('seven numbers decode and encode to the same bytes', () => {
    const checkpoint = timerCheckpoint.decode(bytes)
    const { decoded } = vectorOf('timer_checkpoint')
    assert.deepEqual(checkpoint, {
      lastReadTimeMs: Number(decoded.lastReadTimeMs),
      lastTimerLogFlushPos: Number(decoded.lastTimerLogFlushPos),
      lastTimerQueueOffset: Number(decoded.lastTimerQueueOffset),
      masterTimerQueueOffset: Number(decoded.masterTimerQueueOffset),
      dataVersion: {
        stateVersion: Number(decoded.stateVersion),
        timestamp: Number(decoded.timestamp),
        counter: Number(decoded.counter),
      },
    })
    assert.deepEqual(timerCheckpoint.encode(checkpoint), bytes)
  })

  test('an old broker sends four', () => {
    const old = bytes.subarray(0, 32)
    const checkpoint = timerCheckpoint.decode(old)
    assert.equal(checkpoint.dataVersion, undefined)
    assert.deepEqual(timerCheckpoint.encode(checkpoint), Buffer.from(old))
    assert.throws(() => timerCheckpoint.decode(bytes.subarray(0, 31)), /too short/)
  })
})
