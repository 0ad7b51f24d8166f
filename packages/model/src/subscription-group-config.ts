/** How long to wait before each retry of a group's message. */
export interface GroupRetryPolicy {
  readonly type: 'EXPONENTIAL' | 'CUSTOMIZED'
  readonly exponentialRetryPolicy?: ExponentialRetryPolicy | undefined
  /** `next`: ms before each try. */
  readonly customizedRetryPolicy?: { readonly next: readonly number[] } | undefined
}

/** Delays that grow by a factor. */
export interface ExponentialRetryPolicy {
  /** ms */
  readonly initial: number
  /** ms */
  readonly max: number
  readonly multiplier: number
}

/** A subscription that the operator fixed for a group. */
export interface SimpleSubscriptionData {
  readonly topic: string
  readonly expressionType: string
  readonly expression: string
  readonly version: number
}

/** What a broker knows of a consumer group. */
export interface SubscriptionGroupConfig {
  readonly groupName: string
  readonly consumeEnable: boolean
  readonly consumeFromMinEnable: boolean
  readonly consumeBroadcastEnable: boolean
  readonly consumeMessageOrderly: boolean
  readonly retryQueueNums: number
  readonly retryMaxTimes: number
  readonly groupRetryPolicy: GroupRetryPolicy
  /** Whom to pull from; 0 is the master. */
  readonly brokerId: number
  readonly whichBrokerWhenConsumeSlowly: number
  readonly notifyConsumerIdsChangedEnable: boolean
  /** Bit 1: unit. */
  readonly groupSysFlag: number
  readonly consumeTimeoutMinute: number
  readonly subscriptionDataSet?: readonly SimpleSubscriptionData[] | undefined
  readonly attributes: Readonly<Record<string, string>>
}

/** A group with the values that Java's broker gives to one it creates itself. Source: SubscriptionGroupConfig, 5.3.x. */
export function defaultSubscriptionGroup(
  groupName: string,
  values: Partial<Omit<SubscriptionGroupConfig, 'groupName'>> = {},
): SubscriptionGroupConfig {
  return {
    groupName,
    consumeEnable: true,
    consumeFromMinEnable: true,
    consumeBroadcastEnable: true,
    consumeMessageOrderly: false,
    retryQueueNums: 1,
    retryMaxTimes: 16,
    groupRetryPolicy: { type: 'CUSTOMIZED' },
    brokerId: 0,
    whichBrokerWhenConsumeSlowly: 1,
    notifyConsumerIdsChangedEnable: true,
    groupSysFlag: 0,
    consumeTimeoutMinute: 15,
    attributes: {},
    ...values,
  }
}
