import type { Connection } from '@rocketmq-ts/remoting'
import type { Clock, Logger } from '@rocketmq-ts/runtime'
import type { ClientInfo, Member } from './consumer-group.ts'

/** How long a silent producer is kept, ms. Source: ProducerManager, 5.3.x */
export const PRODUCER_EXPIRY_MS = 120_000

/**
 * Who produces: the online producers of each group, for transaction checks, replies and the tools. Bounded by the
 * connections and the groups they name. Source: ProducerManager, 5.3.x
 */
export class ProducerGroups {
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #groups = new Map<string, Map<Connection, Member>>()
  readonly #connections = new Map<string, Connection>()
  #turn = 0

  constructor(clock: Clock, logger: Logger) {
    this.#clock = clock
    this.#logger = logger
  }

  /** Producers of `group`; undefined when none is online. */
  membersOf(group: string): Iterable<Member> | undefined {
    return this.#groups.get(group)?.values()
  }

  /** All groups with their producers. */
  *entries(): Generator<readonly [group: string, members: Iterable<Member>]> {
    for (const [group, members] of this.#groups) yield [group, members.values()]
  }

  register(group: string, client: ClientInfo): void {
    let members = this.#groups.get(group)
    if (members === undefined) {
      members = new Map()
      this.#groups.set(group, members)
    }
    const known = members.get(client.connection)
    if (known !== undefined) {
      known.lastSeenAtMs = this.#clock.now()
      return
    }
    members.set(client.connection, {
      connection: client.connection,
      clientId: client.clientId,
      language: client.language,
      version: client.version,
      lastSeenAtMs: this.#clock.now(),
    })
    this.#connections.set(client.clientId, client.connection)
    this.#logger.info({ group, clientId: client.clientId }, 'a producer has joined')
  }

  unregister(group: string, connection: Connection): void {
    this.#remove(group, connection)
  }

  connectionClosed(connection: Connection): void {
    for (const group of this.#groups.keys()) this.#remove(group, connection)
  }

  /** Closes the connections of producers that sent no heartbeat for {@link PRODUCER_EXPIRY_MS}. */
  expire(): void {
    const limit = this.#clock.now() - PRODUCER_EXPIRY_MS
    for (const [group, members] of this.#groups) {
      for (const member of [...members.values()]) {
        if (member.lastSeenAtMs >= limit) continue
        this.#logger.warn({ group, clientId: member.clientId }, 'a producer has been silent too long')
        this.#remove(group, member.connection)
        member.connection.close('no heartbeat')
      }
    }
  }

  /** Where the producer of that client id is, or undefined. */
  connectionOf(clientId: string): Connection | undefined {
    return this.#connections.get(clientId)
  }

  /**
   * One producer of `group`, in turn, to ask about a transaction: one whose connection has nothing waiting if there is such
   * a one. Undefined when none is online. Source: ProducerManager#getAvailableChannel, 5.3.x
   */
  pick(group: string): Connection | undefined {
    const members = this.#groups.get(group)
    if (members === undefined) return undefined
    this.#turn = (this.#turn + 1) % members.size
    let index = 0
    let before: Connection | undefined
    let congested: Connection | undefined
    for (const connection of members.keys()) {
      const isBefore = index++ < this.#turn
      if (connection.state === 'open') {
        if (!isBefore) return connection
        before ??= connection
      } else if (connection.state === 'congested') {
        congested = connection
      }
    }
    return before ?? congested
  }

  #remove(group: string, connection: Connection): void {
    const members = this.#groups.get(group)
    const member = members?.get(connection)
    if (members === undefined || member === undefined) return
    members.delete(connection)
    if (members.size === 0) this.#groups.delete(group)
    if (this.#connections.get(member.clientId) === connection) this.#connections.delete(member.clientId)
  }
}
