/** Producers and consumers for any RocketMQ 4.x or 5.x cluster. */
export type { Message, MessageQueue } from '@rocketmq-ts/model'
export { type ErrorCode, type Logger, RocketMqError } from '@rocketmq-ts/runtime'
export type { SendAttemptContext, SendHook, SentMessageType } from './hooks.ts'
export type { ClientCredentials, ClientOptions, ClientTlsOptions, NameServerSource } from './options.ts'
export { type BatchSendResult, createProducer, Producer, type SendOptions } from './producer/producer.ts'
export type { ProducerOptions } from './producer/producer-options.ts'
export type { SendResult, SendStatus } from './producer/send-result.ts'
export type { AskOptions, MessageQuery, NewTopic, TopicAdmin } from './topic-admin.ts'
