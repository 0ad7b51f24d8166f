import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { topicConfig } from '@rocketmq-ts/model'
import { decodeFrame, type RemotingCommand, RequestCode } from '@rocketmq-ts/protocol'
import { Peer, send, startTestBroker } from './support/test-broker.js'

interface Recorded {
  readonly name: string
  readonly request: RemotingCommand
  readonly response: RemotingCommand
}

function frameOf(hex: string): RemotingCommand {
  const bytes = Buffer.from(hex, 'hex')
  return decodeFrame(bytes, 4, bytes.length)
}

function recorded(): Recorded[] {
  const text = readFileSync(new URL('../test/golden/recorded-data-path.json', import.meta.url), 'utf8')
  const { vectors } = JSON.parse(text) as { vectors: { name: string; hex: string; responseHex: string }[] }
  return vectors.map(({ name, hex, responseHex }) => ({ name, request: frameOf(hex), response: frameOf(responseHex) }))
}

/** A broker with the topics and groups that the recorded requests are about. */
async function start(
  t: TestContext,
): Promise<{ peer: Peer; ask: (request: RemotingCommand) => Promise<RemotingCommand> }> {
  const broker = await startTestBroker(t)
  const { topics, groups } = broker.state
  const normal = { 'message.type': 'NORMAL' }
  topics.ensure(topicConfig('PT', { readQueueNums: 2, writeQueueNums: 2, attributes: normal }))
  topics.ensure(topicConfig('RecTopic', { readQueueNums: 2, writeQueueNums: 2 }))
  groups.find('CG')
  const peer = await Peer.connect(t, broker.port)
  for (let i = 0; i < 4; i++) await send(peer, { topic: 'PT' })
  for (let i = 0; i < 4; i++) await send(peer, { topic: 'RecTopic' })
  const ask = ({ code, extFields, body, version }: RemotingCommand) => peer.call(code, { ...extFields }, body, version)
  return { peer, ask }
}

/** What differs from run to run: ports, places in the log, times and generated keys. */
const varying: ReadonlySet<string> = new Set(['msgId', 'timestamp', 'transactionId', 'queueOffset'])

function neutral({ code, remark, extFields = {} }: RemotingCommand) {
  const fields = Object.entries(extFields).map(([name, value]) => [name, varying.has(name) ? 'varies' : value])
  return { code, remark: remark?.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:port'), fields: Object.fromEntries(fields) }
}

test('every recorded request on the data path is answered as the Java broker answered it', async t => {
  const { ask } = await start(t)
  for (const { name, request, response } of recorded()) {
    const answer = await ask(request)
    assert.deepEqual(neutral(answer), neutral(response), name)
    if (request.code === RequestCode.LOCK_BATCH_MQ || request.code === RequestCode.GET_CONSUMER_LIST_BY_GROUP) {
      assert.deepEqual(answer.body, response.body, name)
    }
  }
})
