import { CURRENT_VERSION, versionName } from '@rocketmq-ts/protocol'
import type { ResolvedPushOptions } from './options.ts'

/** Settings as tools show them; the names are those of Java's bean. */
export function runningProperties(options: ResolvedPushOptions): Record<string, string> {
  const shown: Record<string, string | number | boolean> = {
    consumerGroup: options.wireGroup,
    messageModel: options.messageModel,
    consumeFromWhere: options.consumeFromWhere,
    allocateMessageQueueStrategy: options.allocateStrategy.name,
    consumeThreadMin: options.concurrency,
    consumeThreadMax: options.concurrency,
    consumeConcurrentlyMaxSpan: options.span,
    consumeMessageBatchMaxSize: options.handlerBatchMax,
    pullBatchSize: options.pullBatchSize,
    pullInterval: options.pullIntervalMs,
    pullThresholdForQueue: options.messagesPerQueue,
    maxReconsumeTimes: options.maxReconsumeTimes,
    unitMode: options.client.unitMode,
    PROP_CONSUMEORDERLY: options.orderly,
    PROP_THREADPOOL_CORE_SIZE: options.concurrency,
    PROP_CLIENT_VERSION: versionName(CURRENT_VERSION),
  }
  return Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, String(value)]))
}
