import type { MessageQueue } from '../message-queue.ts'

/**
 * How the queues of a topic are shared out among the clients of a group. Every client computes its own share from the
 * same sorted input, so all must use the same strategy.
 */
export interface AllocateStrategy {
  /** The name by which broker and clients agree on it. */
  readonly name: string
  /**
   * The queues for `clientId`. `queues` sorted by topic, broker and id, `clientIds` sorted as text; neither is changed.
   * A client that isn't in the list gets nothing.
   */
  allocate(
    group: string,
    clientId: string,
    queues: readonly MessageQueue[],
    clientIds: readonly string[],
  ): MessageQueue[]
}
