import { Flow, type FlowField } from './flow.ts'

/** What is counted of one topic. */
export interface TopicFlows {
  readonly isSystem: boolean
  readonly put: Flow
  /** By queue id; filled with `enableDetailStat` only. */
  readonly queues: (Flow | undefined)[]
}

/** What is counted of one group and topic. */
export interface GroupFlows {
  readonly get: Flow
  readonly queues: (Flow | undefined)[]
}

/** Statistics that are kept under a text key. */
export type KeyedStat =
  | 'SNDBCK_PUT_NUMS'
  | 'DLQ_PUT_NUMS'
  | 'SNDBCK2DLQ_TIMES'
  | 'GROUP_ACK_NUMS'
  | 'GROUP_CK_NUMS'
  | 'BROKER_ACK_NUMS'
  | 'BROKER_CK_NUMS'
  | 'GROUP_GET_FROM_DISK_NUMS'
  | 'GROUP_GET_FROM_DISK_SIZE'
  | 'BROKER_GET_FROM_DISK_NUMS'
  | 'BROKER_GET_FROM_DISK_SIZE'
  | 'PRODUCER_REGISTER_TIME'
  | 'CONSUMER_REGISTER_TIME'
  | 'CHANNEL_ACTIVITY'

/** Most keys of one keyed statistic; further keys are not counted. */
const keyedFlowsMax = 100_000

/** A flow and which of its totals a statistic is about. */
export type FoundFlow = readonly [flow: Flow, field: FlowField]

/**
 * The flows of a broker, found by topic and group on the hot path without making a key, and by Java's names and keys when
 * somebody asks. Bounded by the topics and groups that exist, and by {@link keyedFlowsMax}.
 */
export class FlowTables {
  readonly #isSystemTopic: (topic: string) => boolean
  readonly #topics = new Map<string, TopicFlows>()
  readonly #groups = new Map<string, Map<string, GroupFlows>>()
  readonly #keyed = new Map<KeyedStat, Map<string, Flow>>()

  constructor(isSystemTopic: (topic: string) => boolean) {
    this.#isSystemTopic = isSystemTopic
  }

  /** The flows of a topic, made when absent. */
  topic(topic: string): TopicFlows {
    let flows = this.#topics.get(topic)
    if (flows === undefined) {
      flows = { isSystem: this.#isSystemTopic(topic), put: new Flow(), queues: [] }
      this.#topics.set(topic, flows)
    }
    return flows
  }

  /** The flows of a group and topic, made when absent. */
  group(group: string, topic: string): GroupFlows {
    let topics = this.#groups.get(group)
    if (topics === undefined) {
      topics = new Map()
      this.#groups.set(group, topics)
    }
    let flows = topics.get(topic)
    if (flows === undefined) {
      flows = { get: new Flow(), queues: [] }
      topics.set(topic, flows)
    }
    return flows
  }

  /** The flow of a text key, made when absent; `undefined` when there are too many. */
  keyed(name: KeyedStat, key: string): Flow | undefined {
    let flows = this.#keyed.get(name)
    if (flows === undefined) {
      flows = new Map()
      this.#keyed.set(name, flows)
    }
    let flow = flows.get(key)
    if (flow === undefined && flows.size < keyedFlowsMax) {
      flow = new Flow()
      flows.set(key, flow)
    }
    return flow
  }

  /** Puts of a topic so far, without making its flows. */
  putOf(topic: string): Flow | undefined {
    return this.#topics.get(topic)?.put
  }

  /** Messages that a group got of a topic so far, without making its flows. */
  getOf(group: string, topic: string): Flow | undefined {
    return this.#groups.get(group)?.get(topic)?.get
  }

  *[Symbol.iterator](): Iterator<Flow> {
    for (const { put, queues } of this.#topics.values()) {
      yield put
      for (const flow of queues) if (flow !== undefined) yield flow
    }
    for (const topics of this.#groups.values()) {
      for (const { get, queues } of topics.values()) {
        yield get
        for (const flow of queues) if (flow !== undefined) yield flow
      }
    }
    for (const flows of this.#keyed.values()) yield* flows.values()
  }

  /** The flow that Java's statistic `name` keeps under `key`; `undefined` when there is none. */
  find(name: string, key: string): FoundFlow | undefined {
    const [first = '', second = '', third = ''] = key.split('@')
    switch (name) {
      case 'TOPIC_PUT_NUMS':
        return found(this.putOf(key), 0)
      case 'TOPIC_PUT_SIZE':
        return found(this.putOf(key), 1)
      case 'QUEUE_PUT_NUMS':
        return found(this.#topics.get(first)?.queues[Number(second)], 0)
      case 'QUEUE_PUT_SIZE':
        return found(this.#topics.get(first)?.queues[Number(second)], 1)
      case 'GROUP_GET_NUMS':
        return found(this.getOf(second, first), 0)
      case 'GROUP_GET_SIZE':
        return found(this.getOf(second, first), 1)
      case 'QUEUE_GET_NUMS':
        return found(this.#groups.get(third)?.get(first)?.queues[Number(second)], 0)
      case 'QUEUE_GET_SIZE':
        return found(this.#groups.get(third)?.get(first)?.queues[Number(second)], 1)
      default:
        return found(this.#keyed.get(name as KeyedStat)?.get(key), 0)
    }
  }

  deleteTopic(topic: string): void {
    this.#topics.delete(topic)
    for (const topics of this.#groups.values()) topics.delete(topic)
    this.#deleteKeys(key => key.startsWith(`${topic}@`) || key.includes(`@${topic}@`))
  }

  deleteGroup(group: string): void {
    this.#groups.delete(group)
    this.#deleteKeys(key => key.endsWith(`@${group}`))
  }

  /** Forgets topics, groups and send-backs of which nothing was counted for `idleMaxMs`. */
  dropIdle(nowMs: number, idleMaxMs: number): void {
    for (const [topic, { put }] of this.#topics) if (put.idleMs(nowMs) > idleMaxMs) this.#topics.delete(topic)
    for (const [group, topics] of this.#groups) {
      for (const [topic, { get }] of topics) if (get.idleMs(nowMs) > idleMaxMs) topics.delete(topic)
      if (topics.size === 0) this.#groups.delete(group)
    }
    const sentBack = this.#keyed.get('SNDBCK_PUT_NUMS')
    for (const [key, flow] of sentBack ?? []) if (flow.idleMs(nowMs) > idleMaxMs) sentBack?.delete(key)
  }

  #deleteKeys(matches: (key: string) => boolean): void {
    for (const flows of this.#keyed.values()) {
      for (const key of flows.keys()) if (matches(key)) flows.delete(key)
    }
  }
}

/** The flow of a queue, made when absent. */
export function queueFlow(flows: (Flow | undefined)[], queueId: number): Flow {
  let flow = flows[queueId]
  if (flow === undefined) {
    flow = new Flow()
    flows[queueId] = flow
  }
  return flow
}

/** A statistic exists once something was counted in it. */
export function found(flow: Flow | undefined, field: FlowField): FoundFlow | undefined {
  return flow === undefined || (flow.calls === 0 && flow.count === 0) ? undefined : [flow, field]
}
