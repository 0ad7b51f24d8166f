import { isRetryTopic } from '@rocketmq-ts/model'
import {
  getAllMessageRequestMode,
  messageRequestModeWrapper,
  ResponseCode,
  setMessageRequestMode,
  setMessageRequestModeRequestBody,
} from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'
import type { TopicTable } from '../topic/topic-table.ts'
import type { SubscriptionGroupTable } from './group-table.ts'
import type { RequestModeTable } from './request-mode-table.ts'

/** Setting and listing whether groups pull or pop. Source: QueryAssignmentProcessor#setMessageRequestMode, 5.3.x */
export function registerRequestModes(
  router: Router,
  deps: { modes: RequestModeTable; topics: TopicTable; groups: SubscriptionGroupTable },
): void {
  const { modes, topics, groups } = deps

  router.handle(setMessageRequestMode, ({ body }) => {
    const mode = setMessageRequestModeRequestBody.decode(body ?? Buffer.alloc(0))
    if (isRetryTopic(mode.topic)) {
      return { code: ResponseCode.NO_PERMISSION, remark: 'retry topic is not allowed to set mode' }
    }
    if (topics.get(mode.topic) === undefined) {
      return { code: ResponseCode.TOPIC_NOT_EXIST, remark: `topic[${mode.topic}] not exist` }
    }
    if (groups.find(mode.consumerGroup) === undefined) {
      return { code: ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST, remark: 'subscription group does not exist' }
    }
    if (modes.set(mode)) return {}
    return { code: ResponseCode.SYSTEM_ERROR, remark: 'the table of request modes is full' }
  })

  router.handle(getAllMessageRequestMode, () => ({
    body: messageRequestModeWrapper.encode({ messageRequestModeMap: modes.entries() }),
  }))
}
