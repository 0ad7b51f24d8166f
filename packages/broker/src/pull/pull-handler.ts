import { MASTER_BROKER_ID, pullSysFlag, type SubscriptionGroupConfig } from '@rocketmq-ts/model'
import { decodePullRequest, type RemotingCommand, ResponseCode } from '@rocketmq-ts/protocol'
import type { Connection } from '@rocketmq-ts/remoting'
import type { Clock, Logger, TimingWheel } from '@rocketmq-ts/runtime'
import type { AnyQueue, GetResult, MessageStore } from '@rocketmq-ts/store'
import type { ConsumerOffsets } from '../offset/consumer-offsets.ts'
import type { BrokerStats } from '../stats/broker-stats.ts'
import { HeldPulls } from './held-pulls.ts'
import { PullAnswers } from './pull-answers.ts'
import { type PullAdmission, type PullCheckDeps, type PullCheckOptions, PullChecks } from './pull-checks.ts'
import { PullRequest } from './pull-request.ts'
import { pullCodeOf } from './pull-status.ts'

/** Read live. */
export interface PullOptions extends PullCheckOptions {
  readonly brokerId: number
  readonly brokerRole: string
  readonly slaveReadEnable: boolean
  readonly offsetCheckInSlave: boolean
  readonly longPollingEnable: boolean
  readonly shortPollingTimeMs: number
  readonly useServerSideResetOffset: boolean
  /** Pulls that wait at most. */
  readonly pullQueueCapacity: number
}

export interface PullDeps extends PullCheckDeps {
  readonly store: MessageStore
  readonly offsets: ConsumerOffsets
  readonly stats: BrokerStats
  readonly clock: Clock
  readonly logger: Logger
  readonly wheel: TimingWheel
  readonly options: PullOptions
}

/**
 * A waiting pull past which messages go by that it doesn't want is answered after this long, so that its group's progress
 * moves on; Java's sweep of waiting pulls has this period. ms
 */
const UNWANTED_BACKLOG_DELAY_MS = 5_000
/** Longest wait that a peer may ask for, ms. */
const SUSPEND_MAX_MS = 10 * 60_000
/** What a read from the disk counts in its connection's requests in flight: the blocks it loads. So at most 64 wait on one connection. */
const COLD_READ_BYTES = 512 * 1024

/**
 * PULL_MESSAGE (11) and LITE_PULL_MESSAGE (361).
 *
 * ```text
 *  request ─ checks ─ read ┬─ found, moved, filtered ─────────────────────────► answer
 *                          └─ nothing there ─ held ┬─ arrival that matches ─┐
 *                                                  └─ deadline ─────────────┴─ checks ─ read ─► answer
 * ```
 *
 * One thread and no gap: between "nothing there" and "held" no message can arrive, except during a read from the disk, after
 * which the queue's end is looked at once more.
 * Source: PullMessageProcessor, PullRequestHoldService, 5.3.x
 */
export class PullHandler {
  readonly held: HeldPulls
  readonly #deps: PullDeps
  readonly #checks: PullChecks
  readonly #answers = new PullAnswers()

  constructor(deps: PullDeps) {
    this.#deps = deps
    this.#checks = new PullChecks(deps)
    const limit = () => deps.options.pullQueueCapacity
    this.held = new HeldPulls(deps.wheel, deps.clock, limit, pull => this.#run(pull, false))
    deps.store.onArrival((queue, from, to) => this.#onArrival(queue, from, to))
  }

  /** Handles one request; what it throws is answered by the router with code 1. */
  handle(command: RemotingCommand, connection: Connection): void {
    if (command.isOneway) return
    const { options } = this.#deps
    const pull = new PullRequest(this.held, connection, command.code, command.opaque, decodePullRequest(command))
    if (options.brokerRole === 'SLAVE' && !options.slaveReadEnable) {
      this.#answers.busy(pull, '[REJECTREQUEST]system busy, start flow control for a while')
      return
    }
    this.#run(pull, true)
  }

  /** `mayHold`: the request has just arrived, so it may wait, and commits the offset that it carries. */
  #run(pull: PullRequest, mayHold: boolean): void {
    const admission = this.#checks.check(pull)
    if ('code' in admission) {
      this.#answers.refuse(pull, admission)
      return
    }
    pull.filter = admission.filter
    if (this.#takeReset(pull, admission)) return
    const result = this.#deps.store.getMessages({
      topic: pull.topic,
      queueId: pull.queueId,
      offset: pull.offset,
      maxCount: pull.maxCount,
      tagFilter: admission.filter,
      deferCopy: true,
    })
    if (result instanceof Promise) this.#whenRead(result, pull, admission, mayHold)
    else this.#finish(result, pull, admission, mayHold, false)
  }

  #whenRead(read: Promise<GetResult>, pull: PullRequest, admission: PullAdmission, mayHold: boolean): void {
    const { connection } = pull
    const { clock, stats } = this.#deps
    const startMs = clock.monotonic()
    connection.addInFlight(COLD_READ_BYTES)
    read
      .then(result => this.#finish(result, pull, admission, mayHold, true))
      .catch((error: unknown) => {
        this.#deps.logger.error({ error, topic: pull.topic, queueId: pull.queueId }, 'a pull failed')
        this.#answers.failed(pull, error)
      })
      .finally(() => {
        stats.noteGetElapsed(clock.monotonic() - startMs)
        connection.removeInFlight(COLD_READ_BYTES)
      })
  }

  /** Answers with the offset to which an administrator has set the group, when there is one. */
  #takeReset(pull: PullRequest, admission: PullAdmission): boolean {
    const { offsets, options, store } = this.#deps
    const resetOffset = offsets.takeReset(pull.group, pull.topic, pull.queueId)
    if (resetOffset < 0 || !options.useServerSideResetOffset) return false
    const { head } = this.#answers
    head.remark = 'OFFSET_RESET'
    head.code = ResponseCode.PULL_OFFSET_MOVED
    head.nextBeginOffset = resetOffset
    head.minOffset = store.minOffset(pull.topic, pull.queueId)
    head.maxOffset = store.maxOffset(pull.topic, pull.queueId)
    this.#fillHead(admission, false)
    // The commit that the request carries is of the time before the reset, and is left out.
    offsets.notePulled(pull.group, pull.topic, pull.queueId, resetOffset)
    this.#answers.empty(pull)
    return true
  }

  #finish(result: GetResult, pull: PullRequest, admission: PullAdmission, mayHold: boolean, wasCold: boolean): void {
    const { stats } = this.#deps
    const { head } = this.#answers
    head.remark = result.status
    head.code = pullCodeOf(result.status, pull.offset)
    head.nextBeginOffset = result.nextBeginOffset
    head.minOffset = result.minOffset
    head.maxOffset = result.maxOffset
    this.#fillHead(admission, result.suggestPullingFromSlave)
    this.#noteOffsets(pull, result.nextBeginOffset, mayHold)
    if (head.code === ResponseCode.SUCCESS) {
      stats.addGet(pull.group, pull.topic, result.messageCount, result.bytes, pull.queueId)
      stats.addBrokerGet(pull.topic, result.messageCount)
      this.#answers.found(pull, result)
      return
    }
    stats.addMiss()
    const isHeld = head.code === ResponseCode.PULL_NOT_FOUND && mayHold && (pull.sysFlag & pullSysFlag.suspend) !== 0
    if (isHeld) this.#hold(pull, wasCold)
    else this.#answers.empty(pull)
  }

  #noteOffsets(pull: PullRequest, nextOffset: number, mayCommit: boolean): void {
    const { offsets } = this.#deps
    offsets.notePulled(pull.group, pull.topic, pull.queueId, nextOffset)
    if (!mayCommit || (pull.sysFlag & pullSysFlag.commitOffset) === 0 || pull.commitOffset < 0) return
    offsets.commit(pull.group, pull.topic, pull.queueId, pull.commitOffset)
  }

  #hold(pull: PullRequest, wasCold: boolean): void {
    const { options, store } = this.#deps
    if (wasCold && store.maxOffset(pull.topic, pull.queueId) > pull.offset) {
      this.#run(pull, false)
      return
    }
    if (this.held.isFull) {
      this.#answers.busy(pull, '[OVERLOAD]system busy, start flow control for a while')
      return
    }
    const waitMs = options.longPollingEnable ? pull.suspendTimeoutMs : options.shortPollingTimeMs
    this.held.hold(pull, Math.max(0, Math.min(waitMs, SUSPEND_MAX_MS)))
  }

  #onArrival(queue: AnyQueue, fromOffset: number, toOffset: number): void {
    const waiting = this.held.find(queue.topic, queue.queueId)
    if (waiting === undefined) return
    const { pulls } = waiting
    // From the end, because waking one moves the last into its place.
    for (let index = pulls.length - 1; index >= 0; index--) {
      const pull = pulls[index] as PullRequest
      if (toOffset <= pull.offset) continue
      if (this.#matches(queue, fromOffset, toOffset, pull)) {
        this.held.wake(pull)
      } else if (!pull.isHurried) {
        pull.isHurried = true
        this.held.hurry(pull, UNWANTED_BACKLOG_DELAY_MS)
      }
    }
  }

  #matches(queue: AnyQueue, fromOffset: number, toOffset: number, pull: PullRequest): boolean {
    if (pull.filter === undefined) return true
    return this.#deps.store.hasMatch(queue, Math.max(fromOffset, pull.offset), toOffset, pull.filter)
  }

  /** The fields that don't depend on what was found. Source: PullMessageProcessor#composeResponseHeader, 5.3.x */
  #fillHead(admission: PullAdmission, isSlaveSuggested: boolean): void {
    const { options } = this.#deps
    const { head } = this.#answers
    const { groupConfig, topicConfig } = admission
    head.topicSysFlag = topicConfig.topicSysFlag
    head.groupSysFlag = groupConfig.groupSysFlag
    head.suggestWhichBrokerId = options.slaveReadEnable ? suggestion(groupConfig, isSlaveSuggested) : MASTER_BROKER_ID
    const isMoved = head.code === ResponseCode.PULL_OFFSET_MOVED
    if (isMoved && options.brokerRole === 'SLAVE' && !options.offsetCheckInSlave) {
      head.suggestWhichBrokerId = groupConfig.brokerId
      head.code = ResponseCode.PULL_RETRY_IMMEDIATELY
    }
  }
}

function suggestion(groupConfig: SubscriptionGroupConfig, isSlaveSuggested: boolean): number {
  return isSlaveSuggested ? groupConfig.whichBrokerWhenConsumeSlowly : groupConfig.brokerId
}
