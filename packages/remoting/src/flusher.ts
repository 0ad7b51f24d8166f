import type { TurnScheduler } from '@rocketmq-ts/runtime'
import { PiecePool } from './output-buffer.ts'

/** Something that writes at the end of a turn. */
export interface Flushable {
  flush(): void
}

/** Lets each connection that has something to say write once, at the end of the turn. */
export class Flusher {
  readonly pool = new PiecePool()
  readonly #turn: TurnScheduler
  readonly #unregister: () => void
  #marked: Flushable[] = []

  constructor(turn: TurnScheduler) {
    this.#turn = turn
    this.#unregister = turn.onEnd('flush', () => this.#flush())
  }

  /** `flushable` has bytes to write. To be called once for it until it is flushed. */
  mark(flushable: Flushable): void {
    this.#marked.push(flushable)
    this.#turn.schedule()
  }

  close(): void {
    this.#unregister()
  }

  #flush(): void {
    const marked = this.#marked
    if (marked.length === 0) return
    this.#marked = []
    for (const flushable of marked) flushable.flush()
  }
}
