import { isRetryTopic, permText, type TopicConfig, topicSysFlag } from '@rocketmq-ts/model'
import { ResponseCode, type SendMessageHeader } from '@rocketmq-ts/protocol'
import type { Connection } from '@rocketmq-ts/remoting'
import type { Clock } from '@rocketmq-ts/runtime'
import { faqSuffix } from '../faq.ts'
import type { TopicTable } from '../topic/topic-table.ts'
import { nameRefusal, type SendRefusal, type SendTarget, SendTargets } from './send-targets.ts'

/** Read live. */
export interface SendCheckOptions {
  readonly startAcceptSendRequestTimestampMs: number
  readonly brokerPermission: number
  readonly brokerIp1: string
}

const writePermission = 2

/**
 * What must hold before a send is looked at more closely, and where it goes. One object per broker: `refusal` tells why the
 * last {@link SendChecks.admit} gave nothing.
 * Source: SendMessageProcessor#preSend, AbstractSendMessageProcessor#msgCheck, 5.3.x
 */
export class SendChecks {
  readonly #topics: TopicTable
  readonly #targets: SendTargets
  readonly #clock: Clock
  readonly #options: SendCheckOptions
  refusal: SendRefusal = { code: ResponseCode.SYSTEM_ERROR, remark: '' }

  constructor(deps: { topics: TopicTable; clock: Clock; options: SendCheckOptions }) {
    this.#topics = deps.topics
    this.#targets = new SendTargets(deps.topics)
    this.#clock = deps.clock
    this.#options = deps.options
  }

  /** The target of a send, its topic created where that is allowed; undefined when it is refused. */
  admit(header: SendMessageHeader, connection: Connection): SendTarget | undefined {
    const acceptFromMs = this.#options.startAcceptSendRequestTimestampMs
    if (acceptFromMs > 0 && this.#clock.now() < acceptFromMs) {
      return this.#refuse(ResponseCode.SYSTEM_ERROR, `broker unable to service, until ${localTimeText(acceptFromMs)}`)
    }
    let target = this.#targets.find(header.topic)
    if ((this.#options.brokerPermission & writePermission) === 0 && target?.config.order === true) {
      return this.#refuse(
        ResponseCode.NO_PERMISSION,
        `the broker[${this.#options.brokerIp1}] sending message is forbidden`,
      )
    }
    if (target === undefined) {
      target = this.#create(header, connection)
      if (target === undefined) return undefined
    } else if (target.refusal !== undefined) {
      this.refusal = target.refusal
      return undefined
    }
    if (header.queueId >= target.queueIdLimit) {
      const producer = connection.remoteAddress
      const remark = `request queueId[${header.queueId}] is illegal, ${describeTopic(target.config)} Producer: ${producer}`
      return this.#refuse(ResponseCode.INVALID_PARAMETER, remark)
    }
    return target
  }

  /** The target of a topic that the broker itself has chosen; it is created with one queue when absent. */
  systemTarget(topic: string): SendTarget {
    return this.#targets.find(topic) ?? this.#targets.of(this.#topics.ensureBackTopic(topic, 1))
  }

  #create(header: SendMessageHeader, connection: Connection): SendTarget | undefined {
    const { topic } = header
    const refusal = nameRefusal(topic)
    if (refusal !== undefined) {
      this.refusal = refusal
      return undefined
    }
    const isRetry = isRetryTopic(topic)
    const unitFlag = isRetry ? topicSysFlag.unitSubscription : topicSysFlag.unit
    const sysFlag = header.unitMode ? unitFlag : 0
    const config =
      this.#topics.createOnSend({
        topic,
        defaultTopic: header.defaultTopic,
        queueCount: header.defaultTopicQueueNums,
        remoteAddress: connection.remoteAddress,
        sysFlag,
      }) ?? (isRetry ? this.#topics.ensureBackTopic(topic, 1, { sysFlag }) : undefined)
    if (config !== undefined) return this.#targets.of(config)
    return this.#refuse(ResponseCode.TOPIC_NOT_EXIST, `topic[${topic}] not exist, apply first please!${faqSuffix}`)
  }

  #refuse(code: number, remark: string): undefined {
    this.refusal = { code, remark }
    return undefined
  }
}

/** Source: TopicConfig#toString, 5.3.x */
function describeTopic(config: TopicConfig): string {
  const attributes = Object.entries(config.attributes).map(([name, value]) => `${name}=${value}`)
  return (
    `TopicConfig [topicName=${config.topicName}, readQueueNums=${config.readQueueNums}, ` +
    `writeQueueNums=${config.writeQueueNums}, perm=${permText(config.perm)}, ` +
    `topicFilterType=${config.topicFilterType}, topicSysFlag=${config.topicSysFlag}, order=${config.order}, ` +
    `attributes={${attributes.join(', ')}}]`
  )
}

/** `2026-01-31 23:59:59,999` in the broker's time zone. Source: UtilAll#timeMillisToHumanString2, 5.3.x */
function localTimeText(timeMs: number): string {
  const date = new Date(timeMs)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  return `${day} ${time},${String(date.getMilliseconds()).padStart(3, '0')}`
}
