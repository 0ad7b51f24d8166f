import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeStoredMessages } from '@rocketmq-ts/model'
import { RequestCode } from '@rocketmq-ts/protocol'
import { Peer, send, startTestBroker } from '../support/test-broker.js'

const anyTime = { beginTimestamp: '0', endTimestamp: '9223372036854775807' }

async function rig(t: Parameters<typeof startTestBroker>[0], options = {}) {
  const broker = await startTestBroker(t, options)
  const peer = await Peer.connect(t, broker.port)
  const query = async (key: string, more: Record<string, string> = {}) => {
    const fields = { topic: 'T', key, maxNum: '10', ...anyTime, ...more }
    const answer = await peer.call(RequestCode.QUERY_MESSAGE, fields)
    const bodies =
      answer.body === undefined ? [] : decodeStoredMessages(answer.body).map(message => String(message.body))
    return { answer, bodies: bodies.sort() }
  }
  const put = (body: string, properties: Record<string, string>) =>
    send(peer, { topic: 'T', body: Buffer.from(body), properties })
  return { broker, peer, query, put }
}

test('a message is found by each of its keys and by its unique key', async t => {
  const { query, put } = await rig(t)
  await put('one', { KEYS: 'a b', UNIQ_KEY: 'U1' })
  await put('two', { KEYS: 'b', UNIQ_KEY: 'U2' })
  assert.deepEqual((await query('a')).bodies, ['one'])
  assert.deepEqual((await query('b')).bodies, ['one', 'two'])
  assert.deepEqual((await query('U2', { _UNIQUE_KEY_QUERY: 'true' })).bodies, ['two'])
  const { answer } = await query('a')
  assert.deepEqual(Object.keys(answer.extFields ?? {}).sort(), ['indexLastUpdatePhyoffset', 'indexLastUpdateTimestamp'])
})

test('what no message has, and what was stored outside the asked time, is answered 22', async t => {
  const { query, put } = await rig(t)
  await put('one', { KEYS: 'a', UNIQ_KEY: 'U1' })
  const { answer } = await query('none')
  assert.equal(answer.code, 22)
  assert.equal(answer.remark, 'can not find message, maybe time range not correct')
  assert.equal((await query('a', { endTimestamp: '1000' })).answer.code, 22)
})

test('the number of messages is bounded by the request, and by the setting where that is smaller', async t => {
  const { query, put } = await rig(t, { queryMessageMaxCount: 3 })
  for (let index = 0; index < 5; index++) await put(`m${index}`, { KEYS: 'same', UNIQ_KEY: `U${index}` })
  assert.equal((await query('same', { maxNum: '2' })).bodies.length, 2)
  assert.equal((await query('same', { maxNum: '100' })).bodies.length, 3)
  for (const maxNum of ['0', '-1']) assert.equal((await query('same', { maxNum })).answer.code, 22)
})
