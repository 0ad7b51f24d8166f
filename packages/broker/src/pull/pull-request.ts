import type { Connection } from '@rocketmq-ts/remoting'
import { TimingWheelEntry } from '@rocketmq-ts/runtime'
import type { MessageFilter } from '@rocketmq-ts/store'
import type { HeldPulls, HeldQueue } from './held-pulls.ts'

/**
 * One PULL_MESSAGE or LITE_PULL_MESSAGE from its arrival to its answer. It owns all it holds: nothing of the request's
 * frame is kept while it waits.
 */
export class PullRequest extends TimingWheelEntry {
  readonly connection: Connection
  readonly code: number
  readonly opaque: number
  readonly group: string
  readonly topic: string
  readonly queueId: number
  readonly offset: number
  /** At least 1, as Java gives one message when none is asked for. */
  readonly maxCount: number
  readonly sysFlag: number
  readonly commitOffset: number
  readonly suspendTimeoutMs: number
  readonly subscription: string | undefined
  readonly subVersion: number
  readonly expressionType: string | undefined
  /** Which messages the last check of the request lets through; undefined: all. */
  filter: MessageFilter | undefined = undefined
  /** While waiting: messages have arrived that it doesn't want. */
  isHurried = false
  /** While waiting: monotonic ms. */
  deadline = 0

  /** @internal Where it waits. */
  heldQueue: HeldQueue | undefined = undefined
  /** @internal */
  heldIndex = 0
  readonly #held: HeldPulls

  constructor(held: HeldPulls, connection: Connection, code: number, opaque: number, header: PullHeader) {
    super()
    this.#held = held
    this.connection = connection
    this.code = code
    this.opaque = opaque
    this.group = header.consumerGroup
    this.topic = header.topic
    this.queueId = header.queueId
    this.offset = header.queueOffset
    this.maxCount = Math.max(1, header.maxMsgNums)
    this.sysFlag = header.sysFlag
    this.commitOffset = header.commitOffset
    this.suspendTimeoutMs = header.suspendTimeoutMillis
    this.subscription = header.subscription
    this.subVersion = header.subVersion
    this.expressionType = header.expressionType
  }

  override onTimeout(): void {
    this.#held.wake(this)
  }
}

/** The fields of the request that the broker looks at. */
export interface PullHeader {
  readonly consumerGroup: string
  readonly topic: string
  readonly queueId: number
  readonly queueOffset: number
  readonly maxMsgNums: number
  readonly sysFlag: number
  readonly commitOffset: number
  readonly suspendTimeoutMillis: number
  readonly subscription: string | undefined
  readonly subVersion: number
  readonly expressionType: string | undefined
}
