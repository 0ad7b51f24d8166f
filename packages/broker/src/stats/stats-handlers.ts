import type { MessageQueue } from '@rocketmq-ts/model'
import {
  brokerStatsData,
  getBrokerRuntimeInfo,
  getTopicStatsInfo,
  kvTable,
  type QueryConsumeTimeSpanBody,
  queryConsumeTimeSpan,
  queryConsumeTimeSpanBody,
  ResponseCode,
  type TopicOffset,
  topicStatsTable,
  viewBrokerStatsData,
} from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'
import type { Clock } from '@rocketmq-ts/runtime'
import type { ConsumerOffsets } from '../offset/consumer-offsets.ts'
import type { BrokerOptions } from '../options.ts'
import type { TopicTable } from '../topic/topic-table.ts'
import type { BrokerStats } from './broker-stats.ts'
import { timeText } from './java-text.ts'
import { earliestTimeOf, type QueueReader, timeOfLast } from './queue-reader.ts'

/** What {@link registerStats} uses. */
export interface StatsHandlerDeps {
  readonly stats: BrokerStats
  readonly topics: TopicTable
  readonly offsets: ConsumerOffsets
  readonly options: BrokerOptions
  readonly clock: Clock
  readonly store: QueueReader
  /** The table of GET_BROKER_RUNTIME_INFO at this moment. */
  readonly runtimeInfo: () => ReadonlyMap<string, string>
}

/** Counters, rates and positions of the broker and its topics. Source: AdminBrokerProcessor, 5.3.x */
export function registerStats(router: Router, deps: StatsHandlerDeps): void {
  const { stats, topics, store, options } = deps
  registerTimeSpan(router, deps)

  router.handle(getBrokerRuntimeInfo, () => ({ body: kvTable.encode({ table: deps.runtimeInfo() }) }))

  router.handle(viewBrokerStatsData, ({ header }) => {
    const data = stats.find(header.statsName, header.statsKey)
    if (data !== undefined) return { body: brokerStatsData.encode(data) }
    const remark = `The stats <${header.statsName}> <${header.statsKey}> not exist`
    return { code: ResponseCode.SYSTEM_ERROR, remark }
  })

  router.handle(getTopicStatsInfo, async ({ header }) => {
    const topic = topics.get(header.topic)
    if (topic === undefined) return topicMissing(header.topic)
    const offsetTable = new Map<MessageQueue, TopicOffset>()
    const queueCount = Math.max(topic.writeQueueNums, topic.readQueueNums)
    for (let queueId = 0; queueId < queueCount; queueId++) {
      const key = { topic: header.topic, brokerName: options.brokerName, queueId }
      offsetTable.set(key, {
        minOffset: Math.max(0, store.minOffset(header.topic, queueId)),
        maxOffset: Math.max(0, store.maxOffset(header.topic, queueId)),
        lastUpdateTimestamp: await timeOfLast(store, header.topic, queueId),
      })
    }
    return { body: topicStatsTable.encode({ offsetTable, topicPutTps: stats.topicPutTps(header.topic) }) }
  })
}

function topicMissing(topic: string) {
  return { code: ResponseCode.TOPIC_NOT_EXIST, remark: `topic[${topic}] not exist` }
}

function registerTimeSpan(router: Router, deps: StatsHandlerDeps): void {
  const { topics, store, offsets, options, clock } = deps

  router.handle(queryConsumeTimeSpan, async ({ header }) => {
    const { topic: name, group } = header
    const topic = topics.get(name)
    if (topic === undefined) return topicMissing(name)
    const consumeTimeSpanSet: QueryConsumeTimeSpanBody['consumeTimeSpanSet'][number][] = []
    for (let queueId = 0; queueId < topic.writeQueueNums; queueId++) {
      const minTimeStamp = await earliestTimeOf(store, name, queueId)
      const maxOffset = store.maxOffset(name, queueId)
      const offset = offsets.query(group, name, queueId)
      const isBehind = offset < maxOffset
      const nextTime = isBehind ? await store.storeTimeOf(name, queueId, Math.max(0, offset)) : -1
      const maxTimeStamp = await store.storeTimeOf(name, queueId, maxOffset - 1)
      const consumeTimeStamp = offset > 0 ? await store.storeTimeOf(name, queueId, offset - 1) : minTimeStamp
      consumeTimeSpanSet.push({
        messageQueue: { topic: name, brokerName: options.brokerName, queueId },
        minTimeStamp,
        maxTimeStamp,
        consumeTimeStamp,
        minTimeStampStr: timeText(minTimeStamp),
        maxTimeStampStr: timeText(maxTimeStamp),
        consumeTimeStampStr: timeText(consumeTimeStamp),
        // Where the next message is gone already, its time isn't known; Java shows its age since 1970.
        delayTime: nextTime > 0 ? clock.now() - nextTime : 0,
      })
    }
    return { body: queryConsumeTimeSpanBody.encode({ consumeTimeSpanSet }) }
  })
}
