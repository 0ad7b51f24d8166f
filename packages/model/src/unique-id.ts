import type { Clock } from '@rocketmq-ts/runtime'
import { RocketMqError } from '@rocketmq-ts/runtime'
import { fromHex, toHex } from './hex.ts'
import { readInt32 } from './int64.ts'

/** What makes the ids of one process different from those of all others. */
export interface UniqueIdSource {
  /** Local address, 4 or 16 bytes. */
  readonly address: Buffer
  /** The low 16 bits are used. */
  readonly processId: number
  /** Any int32 that is constant for the process. */
  readonly discriminator: number
}

const hexOfByte: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).toUpperCase().padStart(2, '0'),
)

function hex16(value: number): string {
  return hexOfByte[(value >>> 8) & 0xff]! + hexOfByte[value & 0xff]!
}

/**
 * Makes the ids (UNIQ_KEY) that a producer gives to its messages: hex of address, process id (int16), discriminator
 * (int32), milliseconds since the start of the month in local time (uint32) and a counter (int16); 32 characters with an
 * IPv4 address, 56 with IPv6. Source: MessageClientIDSetter, 5.3.x.
 */
export class UniqueIdGenerator {
  private readonly clock: Clock
  private readonly prefix: string
  private monthStartMs = 0
  private nextMonthMs = 0
  private counter = 0
  private lastMs = -1
  private lastMsHex = ''

  constructor(clock: Clock, source: UniqueIdSource) {
    this.clock = clock
    const head = Buffer.allocUnsafe(source.address.length + 6)
    source.address.copy(head)
    head.writeUInt16BE(source.processId & 0xffff, source.address.length)
    head.writeInt32BE(source.discriminator | 0, source.address.length + 2)
    this.prefix = toHex(head)
    this.startMonth(clock.now())
  }

  next(): string {
    const now = this.clock.now()
    if (now !== this.lastMs) {
      if (now >= this.nextMonthMs) this.startMonth(now)
      let elapsedMs = now - this.monthStartMs
      // A clock set back over the month's start must not look like the month's far end.
      if (elapsedMs < 0 && elapsedMs > -1_000_000) elapsedMs = 0
      this.lastMs = now
      this.lastMsHex = hex16((elapsedMs >>> 16) & 0xffff) + hex16(elapsedMs & 0xffff)
    }
    const count = this.counter
    this.counter = (count + 1) & 0xffff
    return this.prefix + this.lastMsHex + hex16(count)
  }

  private startMonth(now: number): void {
    const date = new Date(now)
    this.monthStartMs = new Date(date.getFullYear(), date.getMonth(), 1).getTime()
    this.nextMonthMs = new Date(date.getFullYear(), date.getMonth() + 1, 1).getTime()
  }
}

/** The parts of a unique id. */
export interface UniqueIdParts {
  readonly address: Buffer
  readonly processId: number
  readonly discriminator: number
  /** Since the first of the month, 00:00 in the local time of the sender. */
  readonly millisSinceMonthStart: number
  readonly counter: number
}

/** Takes a unique id apart. Throws INVALID_ARGUMENT when it is not of that form. */
export function decodeUniqueId(id: string): UniqueIdParts {
  if (id.length !== 32 && id.length !== 56) {
    throw new RocketMqError('INVALID_ARGUMENT', `A unique id has 32 or 56 characters, this one has ${id.length}.`)
  }
  const bytes = fromHex(id, 'The unique id')
  const at = bytes.length - 12
  return {
    address: bytes.subarray(0, at),
    processId: bytes.readUInt16BE(at),
    discriminator: readInt32(bytes, at + 2),
    millisSinceMonthStart: readInt32(bytes, at + 6) >>> 0,
    counter: bytes.readUInt16BE(at + 10),
  }
}

/**
 * When the id was made, in ms since 1970, taking `now` as a later moment within a month of it and the sender's time zone
 * as ours. Source: MessageClientIDSetter#getNearlyTimeFromID, 5.3.x.
 */
export function timeOfUniqueId(id: string, now: number): number {
  const elapsedMs = decodeUniqueId(id).millisSinceMonthStart
  const date = new Date(now)
  const thisMonth = new Date(date.getFullYear(), date.getMonth(), 1).getTime() + elapsedMs
  if (thisMonth < now) return thisMonth
  return new Date(date.getFullYear(), date.getMonth() - 1, 1).getTime() + elapsedMs
}
