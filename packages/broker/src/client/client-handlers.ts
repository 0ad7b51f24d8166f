import { compileSelection } from '@rocketmq-ts/filter'
import {
  checkClientConfig,
  checkClientRequest,
  consumerList,
  getConsumerListByGroup,
  ResponseCode,
  unregisterClient,
} from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'
import { RocketMqError } from '@rocketmq-ts/runtime'
import type { SubscriptionGroupTable } from '../subscription/group-table.ts'
import type { ConsumerGroups } from './consumer-groups.ts'
import type { ProducerGroups } from './producer-groups.ts'

/** What the small client requests use. */
export interface ClientDeps {
  readonly groups: SubscriptionGroupTable
  readonly consumers: ConsumerGroups
  readonly producers: ProducerGroups
  readonly options: { readonly enablePropertyFilter: boolean }
}

/**
 * UNREGISTER_CLIENT (35), GET_CONSUMER_LIST_BY_GROUP (38) and CHECK_CLIENT_CONFIG (46).
 * Source: ClientManageProcessor, ConsumerManageProcessor, 5.3.x
 */
export function registerClientRequests(router: Router, deps: ClientDeps): void {
  const { groups, consumers, producers, options } = deps

  router.handle(unregisterClient, ({ header, connection }) => {
    if (header.producerGroup !== undefined) producers.unregister(header.producerGroup, connection)
    if (header.consumerGroup !== undefined) {
      const isNotifyEnabled = groups.find(header.consumerGroup)?.notifyConsumerIdsChangedEnable ?? true
      consumers.unregister(header.consumerGroup, connection, isNotifyEnabled)
    }
    return { header: {} }
  })

  router.handle(getConsumerListByGroup, ({ header }) => {
    const consumerIdList = consumers.get(header.consumerGroup)?.clientIds() ?? []
    if (consumerIdList.length === 0) {
      const remark = `no consumer for this group, ${header.consumerGroup}`
      return { code: ResponseCode.SYSTEM_ERROR, remark, header: {} }
    }
    return { header: {}, body: consumerList.encode({ consumerIdList }) }
  })

  router.handle(checkClientConfig, ({ body }) => {
    const subscription = body === undefined ? undefined : checkClientRequest.decode(body).subscriptionData
    const type = subscription?.expressionType
    if (type === undefined || (type as string) === '' || type === 'TAG') return {}
    if (!options.enablePropertyFilter) {
      return { code: ResponseCode.SYSTEM_ERROR, remark: unsupportedExpressionRemark(type) }
    }
    const remark = refusalOf(subscription?.subString ?? '')
    return remark === undefined ? {} : { code: ResponseCode.SUBSCRIPTION_PARSE_FAILED, remark }
  })
}

/** Why a selection can't be used. Java says only the first two words. */
function refusalOf(expression: string): string | undefined {
  try {
    compileSelection(expression)
    return undefined
  } catch (error) {
    if (!RocketMqError.is(error)) throw error
    return `Invalid MessageSelector. ${error.message.replace(/^[A-Z_]+: /, '')}`
  }
}

/** The text for a subscription that isn't by tags. */
export function unsupportedExpressionRemark(expressionType: string): string {
  return `The broker does not support consumer to filter message by ${expressionType}`
}
