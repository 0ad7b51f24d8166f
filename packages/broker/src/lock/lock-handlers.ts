import { lockBatchMq, lockBatchRequestBody, lockBatchResponseBody, unlockBatchMq } from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'
import { RocketMqError } from '@rocketmq-ts/runtime'
import type { QueueLocks } from './queue-locks.ts'

/**
 * LOCK_BATCH_MQ (41) answers the queues that the client owns now, never an error; UNLOCK_BATCH_MQ (42) frees. A broker
 * without replicas is its own majority, so `lockInStrictMode` changes nothing here.
 * Source: AdminBrokerProcessor#lockBatchMQ, #unlockBatchMQ, 5.3.x
 */
export function registerLocks(router: Router, deps: { readonly locks: QueueLocks }): void {
  router.handle(lockBatchMq, ({ body }) => {
    const { consumerGroup, clientId, mqSet } = lockBatchRequestBody.decode(present(body))
    const lockOKMQSet = deps.locks.lock(consumerGroup, mqSet, clientId)
    return { body: lockBatchResponseBody.encode({ lockOKMQSet }) }
  })
  router.handle(unlockBatchMq, ({ body }) => {
    const { consumerGroup, clientId, mqSet } = lockBatchRequestBody.decode(present(body))
    deps.locks.unlock(consumerGroup, mqSet, clientId)
    return {}
  })
}

function present(body: Buffer | undefined): Buffer {
  if (body === undefined) throw new RocketMqError('BODY_INVALID', 'the request has no body; it names the queues')
  return body
}
