import type { RemotingCommand } from '@rocketmq-ts/protocol'
import type { Connection } from '@rocketmq-ts/remoting'

/** An end whose message isn't in the log after all. */
type LostListener = (half: number, target: number, command: RemotingCommand | undefined, connection: Connection) => void
type WrittenListener = (
  half: number,
  target: number,
  command: RemotingCommand | undefined,
  connection: Connection,
) => void

/**
 * Commits whose message is appended but not yet written, in log order: parallel arrays, no object and no promise each. They
 * last until the end of the turn.
 */
export class PendingEnds {
  readonly #endOffsets: number[] = []
  readonly #halves: number[] = []
  readonly #targets: number[] = []
  /** Undefined when nobody wants an answer. */
  readonly #commands: (RemotingCommand | undefined)[] = []
  readonly #connections: Connection[] = []
  #first = 0

  get count(): number {
    return this.#endOffsets.length - this.#first
  }

  push(endOffset: number, half: number, target: number, command: RemotingCommand, connection: Connection): void {
    this.#endOffsets.push(endOffset)
    this.#halves.push(half)
    this.#targets.push(target)
    this.#commands.push(command.isOneway ? undefined : command)
    this.#connections.push(connection)
  }

  /** Tells of, and forgets, those that are written. */
  release(writtenOffset: number, onWritten: WrittenListener): void {
    const count = this.#endOffsets.length
    while (this.#first < count && (this.#endOffsets[this.#first] as number) <= writtenOffset) {
      const i = this.#first++
      onWritten(this.#halves[i]!, this.#targets[i]!, this.#commands[i], this.#connections[i]!)
    }
    if (this.#first === this.#endOffsets.length) this.#resize(0)
  }

  /** Tells of, and forgets, those that end behind `fromOffset`, the newest first. */
  drop(fromOffset: number, onLost: LostListener): void {
    let i = this.#endOffsets.length
    while (i > this.#first && (this.#endOffsets[i - 1] as number) > fromOffset) {
      i--
      onLost(this.#halves[i]!, this.#targets[i]!, this.#commands[i], this.#connections[i]!)
    }
    this.#resize(i === this.#first ? 0 : i)
  }

  #resize(length: number): void {
    if (length === 0) this.#first = 0
    this.#endOffsets.length = length
    this.#halves.length = length
    this.#targets.length = length
    this.#commands.length = length
    this.#connections.length = length
  }
}
