/** How consumers of a group get a topic's messages: by PULL or by POP. */
export interface RequestMode {
  readonly topic: string
  readonly consumerGroup: string
  readonly mode: 'PULL' | 'POP'
  /** Queues shared by a POP client; -1 for all. */
  readonly popShareQueueNum: number
}

/** Most entries kept; further ones are refused. */
const entriesMax = 100_000

/** What administrators have set by topic and group. Source: MessageRequestModeManager, 5.3.x */
export class RequestModeTable {
  readonly #modes = new Map<string, Map<string, RequestMode>>()
  readonly #listeners: (() => void)[] = []
  #size = 0

  /** Calls `listener` after each change. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  get(topic: string, group: string): RequestMode | undefined {
    return this.#modes.get(topic)?.get(group)
  }

  /** Topic, then group. */
  entries(): ReadonlyMap<string, ReadonlyMap<string, RequestMode>> {
    return this.#modes
  }

  /** False when the table is full. */
  set(mode: RequestMode): boolean {
    if (!this.#put(mode)) return false
    for (const listener of this.#listeners) listener()
    return true
  }

  /** Takes over what a file says. */
  load(modes: Iterable<RequestMode>): void {
    for (const mode of modes) this.#put(mode)
  }

  #put(mode: RequestMode): boolean {
    let groups = this.#modes.get(mode.topic)
    if (groups?.has(mode.consumerGroup) !== true) {
      if (this.#size >= entriesMax) return false
      this.#size++
    }
    if (groups === undefined) {
      groups = new Map()
      this.#modes.set(mode.topic, groups)
    }
    groups.set(mode.consumerGroup, mode)
    return true
  }
}
