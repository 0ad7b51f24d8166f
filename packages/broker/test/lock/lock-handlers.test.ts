import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lockBatchRequestBody, lockBatchResponseBody, RequestCode, ResponseCode } from '@rocketmq-ts/protocol'
import { Peer, startTestBroker } from '../support/test-broker.js'

const queue = (queueId: number) => ({ topic: 'T', brokerName: 'broker-a', queueId })

test('queues are locked for one client, and the answer lists those it owns', async t => {
  const broker = await startTestBroker(t)
  const peer = await Peer.connect(t, broker.port)
  const call = (code: number, clientId: string, ...ids: number[]) => {
    const mqSet = ids.map(queue)
    return peer.call(
      code,
      {},
      lockBatchRequestBody.encode({ consumerGroup: 'CG', clientId, onlyThisBroker: false, mqSet }),
    )
  }
  const lock = async (clientId: string, ...ids: number[]) => {
    const { body } = await call(RequestCode.LOCK_BATCH_MQ, clientId, ...ids)
    return lockBatchResponseBody.decode(body!).lockOKMQSet.map(({ queueId }) => queueId)
  }
  assert.deepEqual(await lock('c1', 0, 1), [0, 1])
  assert.deepEqual(await lock('c2', 1, 2), [2])
  assert.equal((await call(RequestCode.UNLOCK_BATCH_MQ, 'c1', 1)).code, 0)
  assert.deepEqual(await lock('c2', 0, 1, 2), [1, 2])
})

test('a lock request without a body is an error, not a crash', async t => {
  const broker = await startTestBroker(t)
  const peer = await Peer.connect(t, broker.port)
  assert.equal((await peer.call(RequestCode.LOCK_BATCH_MQ, {})).code, ResponseCode.SYSTEM_ERROR)
})
