import type { SubscriptionData } from '@rocketmq-ts/model'
import type { Connection } from '@rocketmq-ts/remoting'
import { type GroupSubscription, groupSubscription } from './group-subscription.ts'

/** One client as its heartbeat describes it. */
export interface ClientInfo {
  readonly connection: Connection
  readonly clientId: string
  /** Upper-case language name. */
  readonly language: string
  /** Version ordinal. */
  readonly version: number
}

/** A client of a group. */
export interface Member extends ClientInfo {
  lastSeenAtMs: number
}

/** How a group consumes; the member that sent the last heartbeat decides. */
export interface ConsumerProfile {
  readonly consumeType: string
  readonly messageModel: string
  readonly consumeFromWhere: string
}

/**
 * The online part of one consumer group. There is one subscription table for the whole group, as in Java: members that
 * subscribe to different topics replace each other's. Source: ConsumerGroupInfo, 5.3.x
 */
export class ConsumerGroup {
  readonly name: string
  consumeType = 'CONSUME_PASSIVELY'
  messageModel = 'CLUSTERING'
  consumeFromWhere = 'CONSUME_FROM_LAST_OFFSET'
  readonly #members = new Map<Connection, Member>()
  readonly #subscriptions = new Map<string, GroupSubscription>()

  constructor(name: string) {
    this.name = name
  }

  get memberCount(): number {
    return this.#members.size
  }

  members(): Iterable<Member> {
    return this.#members.values()
  }

  memberOf(connection: Connection): Member | undefined {
    return this.#members.get(connection)
  }

  /** The member of that client id, or undefined. */
  findMember(clientId: string): Member | undefined {
    for (const member of this.#members.values()) if (member.clientId === clientId) return member
    return undefined
  }

  clientIds(): string[] {
    return Array.from(this.#members.values(), member => member.clientId)
  }

  /** What the group subscribes to of `topic`, with its filter; undefined when nothing. */
  subscriptionOf(topic: string): GroupSubscription | undefined {
    return this.#subscriptions.get(topic)
  }

  subscriptions(): Iterable<GroupSubscription> {
    return this.#subscriptions.values()
  }

  get subscriptionCount(): number {
    return this.#subscriptions.size
  }

  /** Adds or refreshes a member; true when its connection is new. */
  addMember(client: ClientInfo, profile: ConsumerProfile, now: number): boolean {
    this.consumeType = profile.consumeType
    this.messageModel = profile.messageModel
    this.consumeFromWhere = profile.consumeFromWhere
    const known = this.#members.get(client.connection)
    if (known !== undefined && known.clientId === client.clientId) {
      known.lastSeenAtMs = now
      return false
    }
    this.#members.set(client.connection, {
      connection: client.connection,
      clientId: client.clientId,
      language: client.language,
      version: client.version,
      lastSeenAtMs: now,
    })
    return known === undefined
  }

  removeMember(connection: Connection): boolean {
    return this.#members.delete(connection)
  }

  /**
   * Takes over the subscriptions of a heartbeat: new topics are added, a higher version replaces, a lower one is ignored,
   * topics that are missing are removed. True when the set of topics changed.
   */
  replaceSubscriptions(subscriptions: readonly SubscriptionData[]): boolean {
    let changed = false
    const topics = new Set<string>()
    for (const data of subscriptions) {
      topics.add(data.topic)
      const known = this.#subscriptions.get(data.topic)
      if (known === undefined) changed = true
      if (known === undefined || data.subVersion > known.data.subVersion) {
        this.#subscriptions.set(data.topic, groupSubscription(data))
      }
    }
    for (const topic of this.#subscriptions.keys()) {
      if (topics.has(topic)) continue
      this.#subscriptions.delete(topic)
      changed = true
    }
    return changed
  }
}
