/** Bits of a topic's or broker's permission. Source: PermName, 5.3.x. */
export const perm = { inherit: 1, write: 2, read: 4, priority: 8 } as const

/** `RWX` with `-` for what is missing. */
export function permText(value: number): string {
  return (value & perm.read ? 'R' : '-') + (value & perm.write ? 'W' : '-') + (value & perm.inherit ? 'X' : '-')
}

/** True for 0 to 7. Source: PermName#isValid, 5.3.x. */
export function isValidPerm(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < perm.priority
}

export type TopicFilterType = 'SINGLE_TAG' | 'MULTI_TAG'

/** Bits of `topicSysFlag`. */
export const topicSysFlag = { unit: 1, unitSubscription: 2 } as const

/** What a broker knows of a topic. */
export interface TopicConfig {
  readonly topicName: string
  readonly readQueueNums: number
  readonly writeQueueNums: number
  /** Bits of {@link perm}. */
  readonly perm: number
  readonly topicFilterType: TopicFilterType
  readonly topicSysFlag: number
  readonly order: boolean
  /** Without the sign that requests carry. */
  readonly attributes: Readonly<Record<string, string>>
}

/** A topic with Java's defaults (16 queues, read and write) where nothing is given. */
export function topicConfig(topicName: string, values: Partial<Omit<TopicConfig, 'topicName'>> = {}): TopicConfig {
  return {
    topicName,
    readQueueNums: 16,
    writeQueueNums: 16,
    perm: perm.read | perm.write,
    topicFilterType: 'SINGLE_TAG',
    topicSysFlag: 0,
    order: false,
    attributes: {},
    ...values,
  }
}

/** One line of text: name, queues, perm, filter type, attributes as JSON. Source: TopicConfig#encode, 5.3.x. */
export function topicConfigText(config: TopicConfig): string {
  const attributes = JSON.stringify(config.attributes)
  return [
    config.topicName,
    config.readQueueNums,
    config.writeQueueNums,
    config.perm,
    config.topicFilterType,
    attributes,
  ].join(' ')
}
