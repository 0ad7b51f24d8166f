import type { RpcServer } from '@rocketmq-ts/remoting'
import { type Clock, type Disk, type Logger, type Random, TimingWheel } from '@rocketmq-ts/runtime'
import { registerClientCalls } from './admin/client-handlers.ts'
import { registerConfig } from './admin/config-handlers.ts'
import { registerConnections } from './admin/connection-handlers.ts'
import { registerGroupMember } from './admin/group-member-handlers.ts'
import { registerHaStatus } from './admin/ha-handlers.ts'
import { registerMaintenance } from './admin/maintenance-handlers.ts'
import { registerOffsetAdmin } from './admin/reset-offset-handlers.ts'
import { registerSubscriptionQueries } from './admin/subscription-handlers.ts'
import type { ListeningAddresses } from './broker-addresses.ts'
import type { BrokerState } from './broker-state.ts'
import { registerClientRequests } from './client/client-handlers.ts'
import { registerHeartbeat } from './client/heartbeat-handler.ts'
import { startHousekeeping } from './client/housekeeping.ts'
import { registerLocks } from './lock/lock-handlers.ts'
import { registerOffsets } from './offset/offset-handlers.ts'
import { registerQueueOffsets } from './offset/queue-handlers.ts'
import type { BrokerConfiguration } from './options/configuration.ts'
import type { BrokerOptions } from './options.ts'
import { registerPull } from './pull/register-pull.ts'
import { registerConsumeQueueQuery } from './query/consume-queue-handler.ts'
import { registerQuery } from './query/query-handlers.ts'
import { queueViews } from './query/queue-view.ts'
import { registerReplies } from './reply/reply-handler.ts'
import { registerSchedule } from './schedule/register-schedule.ts'
import type { ScheduleService } from './schedule/schedule-service.ts'
import { registerSend } from './send/register-send.ts'
import { registerConsumeStats } from './stats/consume-stats-handlers.ts'
import { runtimeInfo } from './stats/runtime-info.ts'
import { registerStats } from './stats/stats-handlers.ts'
import { runtimeFacts } from './store-facts.ts'
import { registerGroups } from './subscription/group-handlers.ts'
import { registerRequestModes } from './subscription/request-mode-handlers.ts'
import { registerTopics } from './topic/topic-handlers.ts'
import { registerTransactions } from './transaction/register-transaction.ts'
import type { TransactionService } from './transaction/transaction-service.ts'

export interface RegistrationDeps {
  readonly state: BrokerState
  readonly options: BrokerOptions
  readonly configuration: BrokerConfiguration
  readonly addresses: ListeningAddresses
  readonly clock: Clock
  readonly random: Random
  readonly disk: Disk
  readonly logger: Logger
}

/** What runs beside the handlers. */
export interface Registered {
  /** Not yet running. */
  readonly schedule: ScheduleService
  /** Not yet running. */
  readonly transactions: TransactionService
  /** Answers to sends that wait for the log. */
  pendingSends(): number
  /** Pulls that wait for messages. */
  heldPulls(): number
  /** Refuses sends from now on. */
  stopTakingSends(): void
  /** Ends timers and forgets waiting requests; their connections are gone. */
  close(): void
}

/** Gives every capability its handlers, and what it uses; one line each. */
export function registerEverything(server: RpcServer, deps: RegistrationDeps): Registered {
  const { router } = server
  const { state, options, clock, random, disk, logger, addresses } = deps
  const { consumers, producers, locks } = state
  const wheel = new TimingWheel(clock)

  const send = registerSend(router, { state, options, clock, random, storeHost: addresses.storeHost })
  const pull = registerPull(router, { ...state, options, clock, logger, wheel })
  registerOffsets(router, { ...state, options })
  registerQueueOffsets(router, state)
  registerHeartbeat(router, { ...state, options })
  registerClientRequests(router, { ...state, options })
  registerLocks(router, { locks })
  const schedule = registerSchedule(router, { ...state, options, clock, disk, logger })
  const { storeHost } = addresses
  const whenWritten = (endOffset: number) => send.acks.whenWritten(endOffset)
  const transactions = registerTransactions(router, { ...state, options, clock, logger, storeHost, whenWritten })
  registerReplies(router, { ...state, options, clock, random, logger, storeHost, whenWritten })
  registerAdministration(server, deps, () => ({ sends: send.acks.size, delayOffsets: schedule.offsets.entries() }))

  server.onClose(connection => {
    pull.held.connectionClosed(connection)
    producers.connectionClosed(connection)
    consumers.connectionClosed(connection)
  })
  const endHousekeeping = startHousekeeping(clock, consumers, producers, locks, options)
  return {
    schedule,
    transactions,
    pendingSends: () => send.acks.size,
    heldPulls: () => pull.held.size,
    stopTakingSends: () => {
      send.handler.isStopping = true
    },
    close: () => {
      endHousekeeping()
      pull.held.clear()
      send.acks.close()
      wheel.clear()
    },
  }
}

function registerAdministration(
  server: RpcServer,
  deps: RegistrationDeps,
  waiting: () => Parameters<typeof runtimeFacts>[2],
): void {
  const { router } = server
  const { state, options, configuration, addresses, clock, disk, logger } = deps
  const { store, stats } = state
  store.onWritten(() => stats.putsWritten())
  store.onFailure(() => stats.putsLost())
  const common = { ...state, options, clock, logger, brokerAddress: () => addresses.broker }
  const info = () => runtimeInfo({ options, stats, clock, disk, facts: runtimeFacts(store, options, waiting()) })
  registerConfig(router, { configuration })
  registerTopics(router, common)
  registerGroups(router, common)
  registerRequestModes(router, common)
  registerQuery(router, common)
  registerConsumeQueueQuery(router, { consumers: state.consumers, queue: queueViews(store) })
  registerStats(router, { ...common, runtimeInfo: info })
  registerConsumeStats(router, common)
  registerConnections(router, common)
  registerClientCalls(router, common)
  registerSubscriptionQueries(router, common)
  registerOffsetAdmin(router, common)
  registerMaintenance(router, common)
  registerGroupMember(router, { options, addresses: () => addresses, startOffset: store.watermarks.written })
  registerHaStatus(router, { commitLogMaxOffset: () => store.watermarks.written })
}
