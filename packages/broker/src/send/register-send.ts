import { type Host, UniqueIdGenerator } from '@rocketmq-ts/model'
import { RequestCode } from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'
import type { Clock, Random } from '@rocketmq-ts/runtime'
import type { BrokerState } from '../broker-state.ts'
import type { BrokerOptions } from '../options.ts'
import { AckQueue } from './ack-queue.ts'
import { BatchSender } from './batch-sender.ts'
import { DeadLetterRule } from './dead-letter-rule.ts'
import { putRefusal } from './put-answers.ts'
import { SendAnswers } from './send-answers.ts'
import { registerSendBack } from './send-back-handler.ts'
import { SendChecks } from './send-checks.ts'
import { SendHandler } from './send-handler.ts'
import { StoredProperties } from './stored-properties.ts'

export interface SendRegistration {
  readonly state: BrokerState
  readonly options: BrokerOptions
  readonly clock: Clock
  readonly random: Random
  readonly storeHost: Host
}

/** Registers everything that stores messages of clients; returns the queue of answers that wait. */
export function registerSend(router: Router, deps: SendRegistration): { acks: AckQueue; handler: SendHandler } {
  const { state, options, clock, random, storeHost } = deps
  const { store, topics, groups, locks, stats } = state
  const refusalOf = (status: Parameters<typeof putRefusal>[0]) =>
    putRefusal(status, options.messageSizeMaxBytes, store.whyNotWritable())
  const answers = new SendAnswers(storeHost, options, refusalOf)
  const acks = new AckQueue({ store, clock, answers, options })
  const properties = new StoredProperties(options)
  const uniqueIds = new UniqueIdGenerator(clock, {
    address: storeHost.address,
    processId: process.pid,
    discriminator: random.int(0x7fffffff),
  })
  const handler = new SendHandler({
    store,
    acks,
    checks: new SendChecks({ topics, clock, options }),
    deadLetters: new DeadLetterRule({ groups, topics, locks }),
    properties,
    batches: new BatchSender({ store, acks, properties, stats, random, storeHost, options }),
    stats,
    random,
    newUniqueKey: () => uniqueIds.next(),
    storeHost,
    options,
  })
  for (const code of [RequestCode.SEND_MESSAGE, RequestCode.SEND_MESSAGE_V2, RequestCode.SEND_BATCH_MESSAGE]) {
    router.handleRaw(code, (command, connection) => handler.handle(command, connection))
  }
  const whenWritten = (endOffset: number) => acks.whenWritten(endOffset)
  registerSendBack(router, { store, topics, groups, stats, random, storeHost, options, whenWritten })
  return { acks, handler }
}
