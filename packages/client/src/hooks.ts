import type { Message, MessageQueue } from '@rocketmq-ts/model'
import type { SendResult } from './producer/send-result.ts'

/** What a message is, as tracing tools count it. Source: MessageType, 5.3.x */
export type SentMessageType = 'NORMAL' | 'TRANSACTION_HALF' | 'DELAY'

/** One attempt to send, as hooks see it; the same object before and after. */
export interface SendAttemptContext {
  readonly group: string
  /** The message as given to `send`; undefined for a batch, whose messages are in {@link messages}. */
  readonly message: Message | undefined
  readonly messages: readonly Message[]
  /** Without namespace. */
  readonly topic: string
  /** Undefined for a batch. */
  readonly messageId: string
  readonly messageType: SentMessageType
  readonly mode: 'SEND' | 'BATCH' | 'ONEWAY'
  readonly queue: MessageQueue
  /** `host:port` of the broker. */
  readonly brokerAddress: string
  /** 1 for the first. */
  readonly attempt: number
  /** Address this client says it has. */
  readonly clientAddress: string
  readonly bodyBytes: number
  /** ms since 1970, when the attempt began. */
  readonly startedAtMs: number
  /** Set before `after` is called, unless the attempt failed or was oneway. */
  result: SendResult | undefined
  /** Set before `after` is called when the attempt failed. */
  error: unknown
  /** For hooks to hand something from `before` to `after`; give each hook a key of its own. */
  readonly state: Map<string, unknown>
}

/**
 * Called around each attempt to send, in the order given. What `before` and `after` throw is logged and otherwise ignored;
 * what `check` throws ends the send with that error.
 */
export interface SendHook {
  readonly name: string
  check?(context: SendAttemptContext): void
  before?(context: SendAttemptContext): void
  after?(context: SendAttemptContext): void
}
