import { queryMessage, ResponseCode, viewMessageById } from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'
import type { MessageStore } from '@rocketmq-ts/store'
import type { BrokerOptions } from '../options.ts'

/** Set to `true` by who looks for a message by its unique key. */
const uniqueKeyField = '_UNIQUE_KEY_QUERY'

/**
 * Finding messages: by physical offset (VIEW_MESSAGE_BY_ID) and by key or unique key (QUERY_MESSAGE). Answers hold stored
 * records as they are. Source: QueryMessageProcessor, 5.3.x
 */
export function registerQuery(
  router: Router,
  deps: { store: Pick<MessageStore, 'messageAt' | 'queryIndex'>; options: BrokerOptions },
): void {
  const { store, options } = deps

  router.handle(viewMessageById, async ({ header }) => {
    const record = await store.messageAt(header.offset)
    if (record !== undefined) return { body: record }
    return { code: ResponseCode.SYSTEM_ERROR, remark: `can not find message by the offset, ${header.offset}` }
  })

  router.handle(queryMessage, async ({ header, command }) => {
    const isUnique = command.extFields?.[uniqueKeyField] === 'true'
    const wanted = isUnique ? options.defaultQueryMaxNum : header.maxNum
    const maxCount = Math.max(0, Math.min(wanted, options.queryMessageMaxCount))
    const { topic, key, beginTimestamp, endTimestamp } = header
    const found = await store.queryIndex(topic, key, maxCount, beginTimestamp, endTimestamp, isUnique)
    const answer = {
      indexLastUpdateTimestamp: found.lastUpdateTimestamp,
      indexLastUpdatePhyoffset: found.lastUpdatePhysicalOffset,
    }
    if (found.records.length > 0) return { header: answer, body: found.records }
    const remark = 'can not find message, maybe time range not correct'
    return { code: ResponseCode.QUERY_NOT_FOUND, remark, header: answer }
  })
}
