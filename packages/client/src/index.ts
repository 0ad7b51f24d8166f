/** Producers and consumers for any RocketMQ 4.x or 5.x cluster. */
export {
  type AllocateStrategy,
  allocateAveragely,
  allocateByCircle,
  allocateByConfig,
  allocateByConsistentHash,
  allocateByMachineRoom,
  allocateMachineRoomNearby,
  type ExpressionType,
  type MachineRoomResolver,
  type Message,
  type MessageQueue,
} from '@rocketmq-ts/model'
export { type ErrorCode, type Logger, RocketMqError } from '@rocketmq-ts/runtime'
export type { ConsumeFromWhere, MessageModel } from './consume/consumer-registration.ts'
export type { PullStatus } from './consume/pull-client.ts'
export { DeliveredMessage, ReceivedMessage } from './consume/received-message.ts'
export type { SendAttemptContext, SendHook, SentMessageType } from './hooks.ts'
export {
  createLitePullConsumer,
  LitePullConsumer,
  type PollOptions,
} from './lite-pull-consumer/lite-pull-consumer.ts'
export type { LitePullConsumerOptions } from './lite-pull-consumer/options.ts'
export type { OffsetStore } from './offset-store/offset-store.ts'
export type { ClientCredentials, ClientOptions, ClientTlsOptions, NameServerSource } from './options.ts'
export { createProducer, createTransactionProducer } from './producer/create-producer.ts'
export { Producer } from './producer/producer.ts'
export type { ProducerOptions } from './producer/producer-options.ts'
export type { ReplyMessage } from './producer/request-reply.ts'
export type { SendResult, SendStatus } from './producer/send-result.ts'
export type { BatchSendResult, SendOptions } from './producer/send-types.ts'
export {
  type LocalTransaction,
  type TransactionCheck,
  type TransactionContext,
  TransactionProducer,
  type TransactionProducerOptions,
  type TransactionSendResult,
  type TransactionState,
} from './producer/transaction-producer.ts'
export type { PullConsumerOptions, QueuesChangedListener } from './pull-consumer/options.ts'
export { createPullConsumer, PullConsumer, type PullOptions, type PullResult } from './pull-consumer/pull-consumer.ts'
export type {
  ConsumeHook,
  ConsumeHookContext,
  ConsumeReturnType,
  ConsumeStatus,
} from './push-consumer/consume-hooks.ts'
export type { ConsumeContext, HandlerOutcome, MessageHandler } from './push-consumer/consume-service.ts'
export type { IterateOptions } from './push-consumer/message-iterator.ts'
export type { PushConsumerOptions } from './push-consumer/options.ts'
export { createPushConsumer, PushConsumer, type PushConsumerState } from './push-consumer/push-consumer.ts'
export type { SubscriptionExpression, Subscriptions } from './push-consumer/subscription-table.ts'
export type { AskOptions, MessageQuery, NewTopic, TopicAdmin } from './topic-admin.ts'
