import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DataVersion, type TopicConfig, topicConfig } from '@rocketmq-ts/model'
import { RocketMqError, silentLogger } from '@rocketmq-ts/runtime'
import { NameServerLink } from '../../dist/registration/name-server-link.js'
import { AdminClock } from '../support/admin-clock.js'

/** A name server of which each answer is given by hand. */
function rig() {
  const clock = new AdminClock()
  const table = new Map<string, TopicConfig>()
  let version: DataVersion = { stateVersion: 0, timestamp: 1, counter: 0 }
  const sent: string[] = []
  const waiting: ((error?: unknown) => void)[] = []
  let isOutdated = false
  const link = new NameServerLink({
    address: 'ns:1',
    clock,
    logger: silentLogger,
    retryDelayMaxMs: () => 30_000,
    topics: {
      get dataVersion() {
        return version
      },
      values: () => table.values(),
      get: name => table.get(name),
    },
    calls: {
      register: (_address, topics, { counter }) => {
        sent.push(`${Array.from(topics, topic => topic.topicName).join(',')}@${counter}`)
        return new Promise((resolve, reject) => {
          waiting.push(error => (error === undefined ? resolve() : reject(error)))
        })
      },
      isOutdated: async () => isOutdated,
    },
  })
  const add = (name: string) => {
    table.set(name, topicConfig(name))
    version = { ...version, counter: version.counter + 1 }
    return link.registerTopic(name)
  }
  /** Answers the oldest call, then lets everything that follows from it happen. */
  const answer = async (error?: unknown) => {
    waiting.shift()!(error)
    await turn()
  }
  return { link, clock, sent, add, answer, outdated: (value: boolean) => (isOutdated = value) }
}

const turn = () => new Promise(resolve => setImmediate(resolve))
const refused = new RocketMqError('RESPONSE_ERROR', 'the broker is unknown', { details: { responseCode: 1 } })

test('a lone new topic goes out alone once the name server has all the others', async () => {
  const { link, sent, add, answer } = rig()
  void add('A')
  await turn()
  assert.deepEqual(sent, ['A@1'])
  await answer()
  assert.equal(link.isRegistered, true)
  void add('B')
  await turn()
  assert.deepEqual(sent.splice(0), ['A@1', 'B@2'])
  await answer()
  await link.close()
})

test('one call is in flight at a time, and the changes that come meanwhile are one registration of everything', async () => {
  const { link, sent, add, answer } = rig()
  void link.registerAll(true)
  await turn()
  void add('A')
  void add('B')
  await turn()
  assert.deepEqual(sent, ['@0'])
  await answer()
  assert.deepEqual(sent, ['@0', 'A,B@2'])
  await answer()
  assert.deepEqual(sent.length, 2)
  await link.close()
})

test('after a failure the next registration carries everything, with growing pauses', async () => {
  const { link, clock, sent, add, answer } = rig()
  void add('A')
  await turn()
  await answer()
  sent.length = 0
  void add('B')
  await turn()
  await answer(new RocketMqError('CONNECT_FAILED', 'refused'))
  assert.equal(link.isRegistered, false)
  clock.advance(999)
  await turn()
  assert.deepEqual(sent, ['B@2'])
  clock.advance(1)
  await turn()
  assert.deepEqual(sent, ['B@2', 'A,B@2'])
  await answer(new RocketMqError('CONNECT_FAILED', 'refused'))
  clock.advance(1999)
  await turn()
  assert.equal(sent.length, 2)
  clock.advance(1)
  await turn()
  assert.equal(sent.length, 3)
  await answer()
  assert.equal(link.isRegistered, true)
  assert.equal(clock.pendingTimers, 0)
  await link.close()
})

test('a name server that refuses a lone topic, because it was restarted, gets everything at once', async () => {
  const { link, sent, add, answer } = rig()
  void add('A')
  await turn()
  await answer()
  void add('B')
  await turn()
  await answer(refused)
  assert.deepEqual(sent, ['A@1', 'B@2', 'A,B@2'])
  await answer()
  await link.close()
})

test('an unforced registration is left out while the name server has this version', async () => {
  const { link, sent, answer, outdated } = rig()
  void link.registerAll(false)
  await turn()
  await answer()
  await link.registerAll(false)
  assert.equal(sent.length, 1)
  outdated(true)
  void link.registerAll(false)
  await turn()
  assert.equal(sent.length, 2)
  await answer()
  await link.close()
})

test('a closed link sends nothing more', async () => {
  const { link, clock, sent, add, answer } = rig()
  void add('A')
  await turn()
  const closed = link.close()
  await answer(new RocketMqError('CONNECT_FAILED', 'refused'))
  await closed
  await add('B')
  assert.equal(sent.length, 1)
  assert.equal(clock.pendingTimers, 0)
})
