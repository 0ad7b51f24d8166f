import type { SubscriptionData } from '@rocketmq-ts/model'
import type { Connection } from '@rocketmq-ts/remoting'
import type { Clock, Logger } from '@rocketmq-ts/runtime'
import { type ClientInfo, ConsumerGroup, type ConsumerProfile } from './consumer-group.ts'

/** What the registry tells its listener about. */
export interface ConsumerGroupListener {
  /** The members of a clustering group, or what they subscribe to, changed: they must rebalance. */
  onMembersChanged(group: ConsumerGroup): void
}

/** Who else wants to know what groups subscribe to. */
export interface SubscriptionObserver {
  /** A member has sent all that its group subscribes to. */
  register(group: string, subscriptions: readonly SubscriptionData[]): void
  /** The group has lost its last member. */
  unregister(group: string): void
}

/**
 * Who consumes: the online members of each group, by connection, and what the group subscribes to. Filled by heartbeats,
 * emptied by unregistering, by closed connections and by silence. Bounded by the connections and the subscription groups
 * that exist. Source: ConsumerManager, 5.3.x
 */
export class ConsumerGroups {
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #listener: ConsumerGroupListener
  readonly #observer: SubscriptionObserver | undefined
  readonly #groups = new Map<string, ConsumerGroup>()

  constructor(clock: Clock, logger: Logger, listener: ConsumerGroupListener, observer?: SubscriptionObserver) {
    this.#clock = clock
    this.#logger = logger
    this.#listener = listener
    this.#observer = observer
  }

  /** The group while it has at least one member. */
  get(group: string): ConsumerGroup | undefined {
    return this.#groups.get(group)
  }

  /** All groups with members. */
  values(): Iterable<ConsumerGroup> {
    return this.#groups.values()
  }

  /** Names of the groups whose members subscribe to `topic`. */
  groupsOf(topic: string): string[] {
    const names: string[] = []
    for (const group of this.#groups.values()) if (group.subscriptionOf(topic) !== undefined) names.push(group.name)
    return names
  }

  /**
   * Takes in one group of a heartbeat. `subscriptions` undefined: the short form, which says nothing about them.
   * `isNotifyEnabled` false: the other members aren't told. Returns whether members or topics changed.
   */
  register(
    name: string,
    client: ClientInfo,
    profile: ConsumerProfile,
    subscriptions: readonly SubscriptionData[] | undefined,
    isNotifyEnabled: boolean,
  ): boolean {
    let group = this.#groups.get(name)
    if (group === undefined) {
      group = new ConsumerGroup(name)
      this.#groups.set(name, group)
    }
    const isNewMember = group.addMember(client, profile, this.#clock.now())
    if (isNewMember) this.#logger.info({ group: name, clientId: client.clientId }, 'a consumer has joined')
    const topicsChanged = subscriptions === undefined ? false : group.replaceSubscriptions(subscriptions)
    if (subscriptions !== undefined) this.#observer?.register(name, subscriptions)
    const changed = isNewMember || topicsChanged
    if (changed && isNotifyEnabled) this.#notify(group)
    return changed
  }

  /** Removes a member that says goodbye. */
  unregister(name: string, connection: Connection, isNotifyEnabled: boolean): void {
    const group = this.#groups.get(name)
    if (group === undefined) return
    if (group.removeMember(connection)) this.#logger.info({ group: name }, 'a consumer has left')
    this.#dropIfEmpty(group)
    if (isNotifyEnabled) this.#notify(group)
  }

  /** Removes what a closed connection was member of, and tells the others. */
  connectionClosed(connection: Connection): void {
    for (const group of this.#groups.values()) {
      if (!group.removeMember(connection)) continue
      this.#logger.info({ group: group.name, address: connection.remoteAddress }, 'a consumer has lost its connection')
      this.#dropIfEmpty(group)
      this.#notify(group)
    }
  }

  /** Closes the connections that sent no heartbeat for `timeoutMs`; the closing then removes them. */
  expire(timeoutMs: number): void {
    const limit = this.#clock.now() - timeoutMs
    for (const group of this.#groups.values()) {
      for (const member of [...group.members()]) {
        if (member.lastSeenAtMs >= limit) continue
        this.#logger.warn({ group: group.name, clientId: member.clientId }, 'a consumer has been silent too long')
        group.removeMember(member.connection)
        member.connection.close('no heartbeat')
      }
      this.#dropIfEmpty(group)
    }
  }

  #dropIfEmpty(group: ConsumerGroup): void {
    if (group.memberCount > 0 || !this.#groups.delete(group.name)) return
    this.#observer?.unregister(group.name)
  }

  #notify(group: ConsumerGroup): void {
    if (group.messageModel !== 'BROADCASTING') this.#listener.onMembersChanged(group)
  }
}
