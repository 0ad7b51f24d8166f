import {
  assertTopic,
  buildSubscription,
  type ExpressionType,
  type SubscriptionData,
  withNamespace,
} from '@rocketmq-ts/model'
import { RocketMqError } from '@rocketmq-ts/runtime'

/** Which messages of a topic: tags as `a || b`, `*` for all, or an SQL92 condition on properties. */
export type SubscriptionExpression = string | { expression: string; type?: ExpressionType }

/** Topic → expression. */
export type Subscriptions = Readonly<Record<string, SubscriptionExpression>>

/** A copy of the user's subscriptions. Throws `INVALID_ARGUMENT` when it is no object. */
export function subscriptionsOf(given: Subscriptions | undefined): Subscriptions {
  if (given === undefined) return {}
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new RocketMqError('INVALID_ARGUMENT', 'subscriptions must be an object of topic and expression')
  }
  return { ...given }
}

/** What a consumer subscribes, by topic as on the wire. */
export class SubscriptionTable {
  readonly #namespace: string | undefined
  readonly #byTopic = new Map<string, SubscriptionData>()

  constructor(namespace: string | undefined) {
    this.#namespace = namespace
  }

  /** A table of the same namespace with nothing in it. */
  emptyCopy(): SubscriptionTable {
    return new SubscriptionTable(this.#namespace)
  }

  /** Adds or replaces. `nowMs` becomes its version. Throws `INVALID_ARGUMENT`. */
  set(topic: string, subscription: SubscriptionExpression, nowMs: number): void {
    assertTopic(topic)
    const { expression, type } =
      typeof subscription === 'string' ? { expression: subscription, type: undefined } : subscription
    const wireTopic = withNamespace(this.#namespace, topic)
    const version = Math.max(nowMs, (this.#byTopic.get(wireTopic)?.subVersion ?? 0) + 1)
    this.#byTopic.set(wireTopic, buildSubscription(wireTopic, expression, type ?? 'TAG', version))
  }

  /** Adds a topic that is on the wire as it stands, with all its messages. */
  setWire(wireTopic: string, nowMs: number): void {
    this.#byTopic.set(wireTopic, buildSubscription(wireTopic, '*', 'TAG', nowMs))
  }

  /** False when it was not there. */
  delete(topic: string): boolean {
    return this.#byTopic.delete(withNamespace(this.#namespace, topic))
  }

  get(wireTopic: string): SubscriptionData | undefined {
    return this.#byTopic.get(wireTopic)
  }

  topics(): IterableIterator<string> {
    return this.#byTopic.keys()
  }

  all(): SubscriptionData[] {
    return [...this.#byTopic.values()]
  }
}
