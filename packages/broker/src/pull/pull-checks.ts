import { compileSelection } from '@rocketmq-ts/filter'
import {
  buildSubscription,
  isSystemPullGroup,
  pullSysFlag,
  type SubscriptionGroupConfig,
  type TopicConfig,
} from '@rocketmq-ts/model'
import { RequestCode, ResponseCode } from '@rocketmq-ts/protocol'
import type { MessageFilter } from '@rocketmq-ts/store'
import { unsupportedExpressionRemark } from '../client/client-handlers.ts'
import type { ConsumerGroups } from '../client/consumer-groups.ts'
import { type GroupSubscription, groupSubscription } from '../client/group-subscription.ts'
import { faqSuffix } from '../faq.ts'
import type { FilterTable } from '../filter/filter-table.ts'
import { SelectionFilter } from '../filter/selection-filter.ts'
import { groupOf, type LightQueueOptions, topicOf } from '../light-queues.ts'
import type { SubscriptionGroupTable } from '../subscription/group-table.ts'
import type { TopicTable } from '../topic/topic-table.ts'
import type { PullRequest } from './pull-request.ts'

/** Why a pull isn't served. */
export interface PullRefusal {
  readonly code: number
  readonly remark: string
  /** With code 16: 1 broker, 2 group, 3 topic, 4 broadcast disabled, 5 subscription. */
  readonly forbiddenType: number | undefined
}

/** What a pull that passed the checks is served with. */
export interface PullAdmission {
  readonly groupConfig: SubscriptionGroupConfig
  readonly topicConfig: TopicConfig
  /** Which messages pass; undefined: all. */
  readonly filter: MessageFilter | undefined
}

/** Read live. */
export interface PullCheckOptions extends LightQueueOptions {
  readonly brokerPermission: number
  readonly litePullMessageEnable: boolean
  readonly rejectPullConsumerEnable: boolean
  readonly enablePropertyFilter: boolean
  readonly brokerIp1: string
}

export interface PullCheckDeps {
  readonly topics: TopicTable
  readonly groups: SubscriptionGroupTable
  readonly consumers: ConsumerGroups
  readonly filters: FilterTable
  readonly options: PullCheckOptions
}

/** Why a pull is forbidden. Source: ForbiddenType, 5.3.x */
const forbidden = { broker: 1, group: 2, topic: 3, broadcast: 4, subscription: 5 } as const
const readPermission = 4
/** Expressions remembered for requests that carry their own; lite pull consumers send theirs with every pull. */
const EXPRESSIONS_MAX = 1024

/** Everything that must hold before the store is asked. Source: PullMessageProcessor#processRequest, 5.3.x */
export class PullChecks {
  readonly #deps: PullCheckDeps
  readonly #expressions = new Map<string, GroupSubscription>()

  constructor(deps: PullCheckDeps) {
    this.#deps = deps
  }

  /** In Java's order: the first thing that isn't right decides the answer. */
  check(pull: PullRequest): PullAdmission | PullRefusal {
    const { options, groups, topics } = this.#deps
    if ((options.brokerPermission & readPermission) === 0) {
      return denied(forbidden.broker, `the broker[${options.brokerIp1}] pulling message is forbidden`)
    }
    if (pull.code === RequestCode.LITE_PULL_MESSAGE && !options.litePullMessageEnable) {
      return denied(forbidden.broker, `the broker[${options.brokerIp1}] for lite pull consumer is forbidden`)
    }
    const groupConfig = groupOf(groups, options, pull.group)
    if (groupConfig === undefined) {
      const remark = `subscription group [${pull.group}] does not exist, ${faqSuffix}`
      return refused(ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST, remark)
    }
    if (!groupConfig.consumeEnable) {
      return denied(forbidden.group, `subscription group no permission, ${pull.group}`)
    }
    const topicConfig = topicOf(topics, options, pull.topic)
    if (topicConfig === undefined) {
      const remark = `topic[${pull.topic}] not exist, apply first please! ${faqSuffix}`
      return refused(ResponseCode.TOPIC_NOT_EXIST, remark)
    }
    if ((topicConfig.perm & readPermission) === 0) {
      return denied(forbidden.topic, `the topic[${pull.topic}] pulling message is forbidden`)
    }
    if (pull.queueId < 0 || pull.queueId >= topicConfig.readQueueNums) {
      const where = `topic:[${pull.topic}] topicConfig.readQueueNums:[${topicConfig.readQueueNums}]`
      const remark = `queueId[${pull.queueId}] is illegal, ${where} consumer:[/${pull.connection.remoteAddress}]`
      return refused(ResponseCode.INVALID_PARAMETER, remark)
    }
    const subscription =
      (pull.sysFlag & pullSysFlag.subscription) === 0 ? this.#known(pull, groupConfig) : this.#carried(pull)
    if ('code' in subscription) return subscription
    return this.#lastChecks(pull, subscription) ?? { groupConfig, topicConfig, filter: subscription.filter }
  }

  /** The subscription of the group's last heartbeat. */
  #known(pull: PullRequest, groupConfig: SubscriptionGroupConfig): GroupSubscription | PullRefusal {
    const group = this.#deps.consumers.get(pull.group)
    if (group === undefined) {
      return refused(ResponseCode.SUBSCRIPTION_NOT_EXIST, `the consumer's group info not exist${faqSuffix}`)
    }
    if (!groupConfig.consumeBroadcastEnable && group.messageModel === 'BROADCASTING') {
      return denied(forbidden.broadcast, `the consumer group[${pull.group}] can not consume by broadcast way`)
    }
    if (this.#deps.groups.isReadForbidden(pull.group, pull.topic)) {
      const remark = `the consumer group[${pull.group}] is forbidden for topic[${pull.topic}]`
      return denied(forbidden.subscription, remark)
    }
    const subscription = group.subscriptionOf(pull.topic)
    if (subscription === undefined) {
      return refused(ResponseCode.SUBSCRIPTION_NOT_EXIST, `the consumer's subscription not exist${faqSuffix}`)
    }
    if (subscription.data.subVersion < pull.subVersion) {
      return refused(ResponseCode.SUBSCRIPTION_NOT_LATEST, "the consumer's subscription not latest")
    }
    return subscription.isTagType ? subscription : this.#selected(pull, subscription)
  }

  /** With the group's selection as filter. */
  #selected(pull: PullRequest, subscription: GroupSubscription): GroupSubscription | PullRefusal {
    const data = this.#deps.filters.get(pull.topic, pull.group)
    if (data === undefined) {
      const remark = "The broker's consumer filter data is not exist!Your expression may be wrong!"
      return refused(ResponseCode.FILTER_DATA_NOT_EXIST, remark)
    }
    if (data.clientVersion < pull.subVersion) {
      return refused(ResponseCode.FILTER_DATA_NOT_LATEST, "the consumer's consumer filter data not latest")
    }
    return { data: subscription.data, isTagType: false, filter: data.filter }
  }

  /** The subscription that the request carries itself. */
  #carried(pull: PullRequest): GroupSubscription | PullRefusal {
    const isCompiled = this.#deps.options.enablePropertyFilter
    const key = `${isCompiled} ${pull.expressionType ?? ''} ${pull.subscription ?? ''}`
    const known = this.#expressions.get(key)
    if (known !== undefined) return known
    let subscription: GroupSubscription
    try {
      subscription = carriedSubscription(pull.subscription, pull.expressionType || 'TAG', isCompiled)
    } catch {
      return refused(ResponseCode.SUBSCRIPTION_PARSE_FAILED, "parse the consumer's subscription failed")
    }
    if (this.#expressions.size >= EXPRESSIONS_MAX) this.#expressions.clear()
    this.#expressions.set(key, subscription)
    return subscription
  }

  #lastChecks(pull: PullRequest, subscription: GroupSubscription): PullRefusal | undefined {
    if (!subscription.isTagType && !this.#deps.options.enablePropertyFilter) {
      return refused(ResponseCode.SYSTEM_ERROR, unsupportedExpressionRemark(subscription.data.expressionType))
    }
    if (!this.#deps.options.rejectPullConsumerEnable) return undefined
    const group = this.#deps.consumers.get(pull.group)
    const isKnown = group?.memberOf(pull.connection) !== undefined
    const isActive = group === undefined || group.consumeType === 'CONSUME_ACTIVELY'
    if (!isActive || isKnown || isSystemPullGroup(pull.group)) return undefined
    const remark = "the consumer's group info not exist, or the pull consumer is rejected by server."
    return refused(ResponseCode.SUBSCRIPTION_NOT_EXIST, remark + faqSuffix)
  }
}

/** Throws `INVALID_ARGUMENT`. */
function carriedSubscription(expression: string | undefined, type: string, isCompiled: boolean): GroupSubscription {
  const data = buildSubscription('', expression, type)
  if (data.expressionType === 'TAG' || !isCompiled) return groupSubscription(data)
  return { data, isTagType: false, filter: new SelectionFilter(compileSelection(data.subString)) }
}

function refused(code: number, remark: string): PullRefusal {
  return { code, remark, forbiddenType: undefined }
}

function denied(forbiddenType: number, remark: string): PullRefusal {
  return { code: ResponseCode.NO_PERMISSION, remark, forbiddenType }
}
