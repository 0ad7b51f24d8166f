import type { Random } from '@rocketmq-ts/runtime'

/** What a hostile or broken peer sends. Everything follows from `random`, so a seed replays it. */
export class HostileFrames {
  private readonly corpus: readonly Buffer[]
  private readonly random: Random

  /** `corpus`: real request frames, whole, with their length field. */
  constructor(corpus: readonly Buffer[], random: Random) {
    this.corpus = corpus
    this.random = random
  }

  /** One frame (or what poses as one); most keep a valid length, so that the connection survives and more is reached. */
  next(): Buffer {
    const { random } = this
    const kind = random.int(100)
    if (kind < 40) return this.mutatedHeader()
    if (kind < 60) return this.mutatedBody()
    if (kind < 75) return this.changedFields()
    if (kind < 85) return this.randomHeader()
    if (kind < 90) return this.original()
    if (kind < 94) return this.flipped()
    if (kind < 96) return this.wrongLength()
    if (kind < 98) return this.binaryHeader()
    return this.garbage()
  }

  private original(): Buffer {
    return Buffer.from(this.corpus[this.random.int(this.corpus.length)] as Buffer)
  }

  private bytes(length: number): Buffer {
    const out = Buffer.allocUnsafe(length)
    for (let i = 0; i < length; i++) out[i] = this.random.int(256)
    return out
  }

  private parts(): { type: number; header: Buffer; body: Buffer } {
    const frame = this.original()
    const word = frame.readInt32BE(4)
    const end = 8 + (word & 0xffffff)
    return { type: word >>> 24, header: Buffer.from(frame.subarray(8, end)), body: Buffer.from(frame.subarray(end)) }
  }

  private assemble(type: number, header: Buffer, body: Buffer): Buffer {
    const head = Buffer.allocUnsafe(8)
    head.writeInt32BE(4 + header.length + body.length, 0)
    head.writeInt32BE((type << 24) | header.length, 4)
    return Buffer.concat([head, header, body])
  }

  private mutate(target: Buffer): Buffer {
    const count = 1 + this.random.int(4)
    for (let i = 0; i < count && target.length > 0; i++) target[this.random.int(target.length)] = this.random.int(256)
    return target
  }

  private mutatedHeader(): Buffer {
    const { type, header, body } = this.parts()
    return this.assemble(type, this.mutate(header), body)
  }

  private mutatedBody(): Buffer {
    const { type, header, body } = this.parts()
    const changed = this.random.int(3) === 0 ? this.bytes(this.random.int(200)) : this.mutate(body)
    return this.assemble(type, header, changed)
  }

  /** A well-formed JSON header with another code, dropped fields, and values at the edges of their types. */
  private changedFields(): Buffer {
    const { type, header, body } = this.parts()
    if (type !== 0) return this.assemble(type, header, body)
    let parsed: { code?: unknown; opaque?: unknown; flag?: unknown; extFields?: Record<string, unknown> }
    try {
      parsed = JSON.parse(header.toString('utf8'))
    } catch {
      return this.assemble(type, header, body)
    }
    const fields = parsed.extFields ?? {}
    for (const name of Object.keys(fields)) {
      if (this.random.int(4) === 0) delete fields[name]
      else if (this.random.int(3) === 0) fields[name] = this.edgeValue()
    }
    if (this.random.int(5) === 0) fields[this.edgeValue().slice(0, 20)] = this.edgeValue()
    if (this.random.int(6) === 0) parsed.code = this.random.int(3) === 0 ? this.random.int(400) : this.edgeNumber()
    if (this.random.int(10) === 0) parsed.opaque = this.edgeNumber()
    if (this.random.int(10) === 0) parsed.flag = this.random.int(8)
    parsed.extFields = fields
    return this.assemble(0, Buffer.from(JSON.stringify(parsed)), this.random.int(4) === 0 ? Buffer.alloc(0) : body)
  }

  private edgeNumber(): number {
    const edges = [0, -1, 1, 2 ** 31 - 1, -(2 ** 31), 2 ** 31, 2 ** 53, -(2 ** 53), 1e300, 0.5]
    return edges[this.random.int(edges.length)] as number
  }

  private edgeValue(): string {
    const edges = [
      '',
      ' ',
      'null',
      'true',
      '%RETRY%',
      '%DLQ%x',
      'TBW102',
      '../../x',
      'a'.repeat(300),
      '\u0000',
      '9223372036854775807',
      '\u0001\u0002',
      '-9223372036854775808',
      'NaN',
      '[]',
      '{}',
      '\ud800',
    ]
    return this.random.int(3) === 0 ? String(this.edgeNumber()) : (edges[this.random.int(edges.length)] as string)
  }

  private randomHeader(): Buffer {
    return this.assemble(this.random.int(3), this.bytes(this.random.int(120)), this.bytes(this.random.int(60)))
  }

  /** A ROCKETMQ header whose inner lengths lie. */
  private binaryHeader(): Buffer {
    const header = this.bytes(21 + this.random.int(60))
    header.writeInt16BE([310, 11, 34, 105, 103, 12][this.random.int(6)] as number, 0)
    header.writeInt32BE(this.random.int(3) === 0 ? this.random.int(0x7fffffff) : this.random.int(40), 13)
    return this.assemble(1, header, this.bytes(this.random.int(40)))
  }

  private flipped(): Buffer {
    return this.mutate(this.original())
  }

  private wrongLength(): Buffer {
    const frame = this.original()
    const lengths = [0, 3, -1, 0x7fffffff, 16_777_213, frame.length - 5, frame.length + 5]
    frame.writeInt32BE(lengths[this.random.int(lengths.length)] as number, 0)
    return frame
  }

  private garbage(): Buffer {
    return this.bytes(1 + this.random.int(300))
  }
}
