import type { RemotingCommand } from '@rocketmq-ts/protocol'
import type { RpcClient } from '@rocketmq-ts/remoting'
import { type Clock, type Logger, type Random, RocketMqError } from '@rocketmq-ts/runtime'

/** One failed question to one name server. */
export interface NameServerAttempt {
  readonly address: string
  readonly error: string
}

/**
 * Splits `a:1;b:2` (commas and blanks also separate) or takes a list. An address of the form
 * `[scheme://]MQ_INST_x_y.host:port` also names the namespace. Throws `INVALID_ARGUMENT` for an entry without a port.
 * Source: NameServerAddressUtils, 5.3.x
 */
export function parseNameServers(source: string | readonly string[]): {
  addresses: string[]
  namespace: string | undefined
} {
  const entries = (typeof source === 'string' ? source.split(/[;,\s]+/) : [...source]).map(entry => entry.trim())
  let namespace: string | undefined
  const addresses: string[] = []
  for (const entry of entries) {
    if (entry === '') continue
    const instance = /^(?:\w+:\/\/|)(MQ_INST_\w+_\w+)\./.exec(entry)
    if (instance) namespace ??= instance[1]
    const address = entry.slice(entry.lastIndexOf('/') + 1)
    if (!/^(\[[^\]]+\]|[^:\s]+):\d{1,5}$/.test(address)) {
      throw new RocketMqError('INVALID_ARGUMENT', `name server address "${entry}" is not host:port`)
    }
    if (!addresses.includes(address)) addresses.push(address)
  }
  return { addresses, namespace }
}

/**
 * The name servers of one client: asks the one that answered last, and moves on to the next when it doesn't answer. Every
 * name server holds the same routes, so any answer, also "no such topic", ends the question.
 */
export class NameServers {
  readonly #rpc: RpcClient
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #random: Random
  #addresses: readonly string[] = []
  #chosen = 0

  constructor(deps: { rpc: RpcClient; clock: Clock; logger: Logger; random: Random }) {
    this.#rpc = deps.rpc
    this.#clock = deps.clock
    this.#logger = deps.logger
    this.#random = deps.random
  }

  /** In the order in which they are tried. */
  get addresses(): readonly string[] {
    return this.#addresses
  }

  /** Replaces the list, shuffled so that clients spread; the present choice stays when it is still in the list. */
  replace(addresses: readonly string[]): void {
    const current = this.#addresses[this.#chosen]
    if (addresses.length === this.#addresses.length && addresses.every(address => this.#addresses.includes(address)))
      return
    const shuffled = [...addresses]
    for (let i = shuffled.length - 1; i > 0; i--) {
      const j = this.#random.int(i + 1)
      const held = shuffled[i]!
      shuffled[i] = shuffled[j]!
      shuffled[j] = held
    }
    this.#addresses = shuffled
    this.#chosen = current === undefined ? 0 : Math.max(0, shuffled.indexOf(current))
  }

  /**
   * Sends the command `build()` makes to one name server after the other until one answers, each within `timeoutMs` and all
   * within twice that. Rejects with `NO_NAME_SERVER` (`details.attempts`: {@link NameServerAttempt}[]), or `ABORTED`.
   */
  async ask(build: () => RemotingCommand, timeoutMs: number, signal?: AbortSignal): Promise<RemotingCommand> {
    if (this.#addresses.length === 0) {
      throw new RocketMqError('NO_NAME_SERVER', 'no name server address is known', { details: { attempts: [] } })
    }
    const attempts: NameServerAttempt[] = []
    const deadlineInMs = this.#clock.monotonic() + 2 * timeoutMs
    const addresses = this.#addresses
    const first = this.#chosen
    for (let i = 0; i < addresses.length; i++) {
      const index = (first + i) % addresses.length
      const address = addresses[index]!
      const leftMs = Math.ceil(deadlineInMs - this.#clock.monotonic())
      if (leftMs <= 0) break
      try {
        const answer = await this.#rpc.invoke(address, build(), Math.min(timeoutMs, leftMs), signal)
        if (this.#addresses === addresses) this.#chosen = index
        return answer
      } catch (error) {
        if (signal?.aborted) throw error
        attempts.push({ address, error: error instanceof Error ? error.message : String(error) })
        this.#logger.debug({ address, err: error }, 'name server does not answer')
      }
    }
    const told = attempts.map(attempt => `${attempt.address} (${attempt.error})`).join(', ')
    throw new RocketMqError('NO_NAME_SERVER', `none of the name servers answered: ${told}`, { details: { attempts } })
  }
}
