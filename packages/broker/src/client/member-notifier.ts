import { encodeHeader, notifyConsumerIdsChanged, requestCommand } from '@rocketmq-ts/protocol'
import type { Clock, Timer } from '@rocketmq-ts/runtime'
import type { ConsumerGroup } from './consumer-group.ts'

/** When the collected notices go out while `realTimeNotifyConsumerChange` is off, ms. */
const NOTICE_PERIOD_MS = 15_000

/** Read live. */
export interface MemberNotifierOptions {
  readonly notifyConsumerIdsChangedEnable: boolean
  readonly realTimeNotifyConsumerChange: boolean
}

/**
 * Tells the members of a group (request 40, oneway) that they must rebalance: at once, or, when the broker is set so,
 * collected every 15 s. Holds one entry per group at most. Source: DefaultConsumerIdsChangeListener, 5.3.x
 */
export class MemberNotifier {
  readonly #clock: Clock
  readonly #options: MemberNotifierOptions
  readonly #waiting = new Set<ConsumerGroup>()
  #timer: Timer | undefined

  constructor(clock: Clock, options: MemberNotifierOptions) {
    this.#clock = clock
    this.#options = options
  }

  onMembersChanged(group: ConsumerGroup): void {
    if (!this.#options.notifyConsumerIdsChangedEnable) return
    if (this.#options.realTimeNotifyConsumerChange) {
      notifyMembers(group)
      return
    }
    this.#waiting.add(group)
    this.#timer ??= this.#clock.setTimeout(() => this.#notifyWaiting(), NOTICE_PERIOD_MS, { unref: true })
  }

  /** Forgets what waits. */
  close(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#waiting.clear()
  }

  #notifyWaiting(): void {
    this.#timer = undefined
    for (const group of this.#waiting) notifyMembers(group)
    this.#waiting.clear()
  }
}

function notifyMembers(group: ConsumerGroup): void {
  for (const member of group.members()) {
    const fields = encodeHeader(notifyConsumerIdsChanged.request, { consumerGroup: group.name })
    try {
      member.connection.sendOneway(requestCommand(notifyConsumerIdsChanged.code, fields))
    } catch {
      // Closing, or so far behind that it doesn't read: it finds out by its own timer, and the others matter.
    }
  }
}
