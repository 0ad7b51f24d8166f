import type { MessageQueue } from '@rocketmq-ts/model'
import {
  consumeMessageDirectly,
  consumeMessageDirectlyResult,
  consumerRunningInfo,
  getConsumerRunningInfo,
  getConsumerStatusBody,
  getConsumerStatusFromClient,
  notifyConsumerIdsChanged,
  RequestCode,
  ResponseCode,
  resetConsumerClientOffset,
  resetOffsetBody,
  responseCommand,
} from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'
import { type Logger, RocketMqError } from '@rocketmq-ts/runtime'
import type { ConsumerRegistration } from './consume/consumer-registration.ts'
import type { ProducerRegistration } from './registrations.ts'

/** Whom a broker may mean. */
export interface BrokerRequestTargets {
  consumer(group: string): ConsumerRegistration | undefined
  producers(): Iterable<ProducerRegistration>
  logger: Logger
}

/** Registers the requests that brokers send to clients. Source: ClientRemotingProcessor#processRequest, 5.3.x */
export function registerBrokerRequests(router: Router, targets: BrokerRequestTargets): void {
  router.handle(notifyConsumerIdsChanged, ({ header }) => {
    targets.consumer(header.consumerGroup)?.onConsumerIdsChanged()
    return {}
  })
  router.handle(resetConsumerClientOffset, ({ header, body }) => {
    const offsets = body === undefined ? [] : [...resetOffsetBody.decode(body).offsetTable]
    targets.consumer(header.group)?.resetOffsets(header.topic, offsets)
    return {}
  })
  router.handle(getConsumerStatusFromClient, ({ header }) => {
    const offsets = consumerOf(targets, header.group).consumedOffsets(header.topic)
    const body = getConsumerStatusBody.encode({
      messageQueueTable: new Map<MessageQueue, number>(offsets),
      consumerTable: new Map(),
    })
    return { body }
  })
  router.handle(getConsumerRunningInfo, ({ header }) => {
    const info = consumerOf(targets, header.consumerGroup).runningInfo({ withStacks: header.jstackEnable ?? false })
    return {
      body: consumerRunningInfo.encode({
        ...info,
        properties: new Map(Object.entries(info.properties)),
        mqTable: new Map(info.mqTable),
        mqPopTable: new Map(),
        statusTable: new Map(Object.entries(info.statusTable)),
        userConsumerInfo: new Map(),
      }),
    }
  })
  router.handle(consumeMessageDirectly, async ({ header, body }) => {
    if (body === undefined) throw new RocketMqError('BODY_INVALID', 'no message came with the request to consume it')
    const consumer = consumerOf(targets, header.consumerGroup)
    const result = await consumer.consumeDirectly(Buffer.from(body), header.brokerName ?? '')
    if (result === undefined) throw notHere(header.consumerGroup)
    return { body: consumeMessageDirectlyResult.encode(result) }
  })
  router.handleRaw(RequestCode.CHECK_TRANSACTION_STATE, (command, connection) => {
    for (const producer of targets.producers()) producer.checkTransaction?.(command, connection)
  })
  router.handleRaw(RequestCode.PUSH_REPLY_MESSAGE_TO_CLIENT, (command, connection) => {
    let isTaken = false
    for (const producer of targets.producers()) isTaken ||= producer.acceptReply?.(command) === true
    if (!isTaken) targets.logger.debug({ requestCode: command.code }, 'a reply came that nobody waits for')
    connection.respond(command, responseCommand(command, ResponseCode.SUCCESS, undefined, {}))
  })
  router.handleOthers(command => {
    targets.logger.debug({ requestCode: command.code }, 'a broker sent a request that clients do not know')
  })
}

function consumerOf(targets: BrokerRequestTargets, group: string): ConsumerRegistration {
  const consumer = targets.consumer(group)
  if (consumer === undefined) throw notHere(group)
  return consumer
}

function notHere(group: string): RocketMqError {
  return new RocketMqError('INVALID_STATE', `the consumer group "${group}" is not here`, {
    details: { responseCode: 1, remark: `The Consumer Group <${group}> not exist in this consumer` },
  })
}
