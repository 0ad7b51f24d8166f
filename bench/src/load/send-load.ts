import { OPAQUE_BASE, OPAQUE_SPAN, patchOpaque, sendTemplate, type Template } from './frames.ts'
import { LatencyHistogram } from './latency.ts'
import { RawConnection } from './raw-connection.ts'

export interface SendLoadOptions {
  readonly address: string
  readonly topics: readonly string[]
  readonly queueCount: number
  readonly bodyBytes: number
  readonly connections: number
  /** Requests outstanding on each connection. */
  readonly inFlight: number
  /** Ends after this many answers. */
  readonly messages: number
}

export interface LoadResult {
  /** Stored (or pulled) ones only: a refusal is cheap and no work done. */
  readonly messages: number
  readonly bytes: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Answers by code other than 0. */
  readonly errors: Record<number, number>
}

/** One connection that keeps `inFlight` sends outstanding; new requests leave in one write per chunk of answers. */
class Sender {
  private connection!: RawConnection
  private readonly sentAt = new Float64Array(OPAQUE_SPAN)
  private readonly templates: readonly Template[]
  private next: number
  private opaque = 0
  private answered = 0
  private readonly run: SendRun

  constructor(run: SendRun, templates: readonly Template[], first: number) {
    this.run = run
    this.templates = templates
    this.next = first % templates.length
  }

  async start(address: string, inFlight: number): Promise<void> {
    this.connection = await RawConnection.open(
      address,
      (opaque, code) => this.onAnswer(opaque, code),
      () => this.onChunkEnd(),
    )
    this.connection.socket.on('close', () => this.run.fail(new Error('the broker closed a connection')))
    this.send(inFlight)
  }

  close(): void {
    this.connection.socket.removeAllListeners('close')
    this.connection.close()
  }

  private onAnswer(opaque: number, code: number): void {
    this.answered++
    this.run.latency.add(performance.now() - (this.sentAt[(opaque - OPAQUE_BASE) % OPAQUE_SPAN] ?? 0))
    if (code !== 0) this.run.errors[code] = (this.run.errors[code] ?? 0) + 1
  }

  private onChunkEnd(): void {
    const count = this.answered
    this.answered = 0
    if (this.run.answered(count)) this.send(count)
  }

  private send(count: number): void {
    if (count === 0) return
    let size = 0
    for (let i = 0; i < count; i++) size += this.template(this.next + i).bytes.length
    const out = Buffer.allocUnsafe(size)
    const now = performance.now()
    let at = 0
    for (let i = 0; i < count; i++) {
      const { bytes, opaqueAt } = this.template(this.next)
      bytes.copy(out, at)
      const opaque = this.opaque++ % OPAQUE_SPAN
      patchOpaque(out, at + opaqueAt, OPAQUE_BASE + opaque)
      this.sentAt[opaque] = now
      at += bytes.length
      this.next = (this.next + 1) % this.templates.length
    }
    this.connection.socket.write(out)
  }

  private template(index: number): Template {
    return this.templates[index % this.templates.length] as Template
  }
}

class SendRun {
  readonly latency = new LatencyHistogram()
  readonly errors: Record<number, number> = {}
  private left: number
  private readonly finish: () => void
  readonly fail: (error: Error) => void

  constructor(messages: number, finish: () => void, fail: (error: Error) => void) {
    this.left = messages
    this.finish = finish
    this.fail = fail
  }

  /** True while the load goes on. */
  answered(count: number): boolean {
    if (this.left <= 0) return false
    this.left -= count
    if (this.left > 0) return true
    this.finish()
    return false
  }
}

/** Runs one load to its end. Rejects when the broker closes a connection. */
export async function runSendLoad(options: SendLoadOptions): Promise<LoadResult> {
  const body = Buffer.alloc(options.bodyBytes, 'rocketmq-')
  const templates: Template[] = []
  for (let queueId = 0; queueId < options.queueCount; queueId++) {
    for (const topic of options.topics) templates.push(sendTemplate({ topic, queueId, body }))
  }
  let senders: Sender[] = []
  const started = performance.now()
  const run = await new Promise<SendRun>((resolve, reject) => {
    const load = new SendRun(options.messages, () => resolve(load), reject)
    senders = Array.from(
      { length: options.connections },
      (_, i) => new Sender(load, templates, Math.floor((i * templates.length) / options.connections)),
    )
    Promise.all(senders.map(sender => sender.start(options.address, options.inFlight))).catch(reject)
  }).finally(() => {
    for (const sender of senders) sender.close()
  })
  const seconds = (performance.now() - started) / 1000
  const refused = Object.values(run.errors).reduce((sum, count) => sum + count, 0)
  const stored = run.latency.count - refused
  return {
    messages: stored,
    bytes: stored * options.bodyBytes,
    seconds,
    p50Ms: run.latency.percentile(0.5),
    p99Ms: run.latency.percentile(0.99),
    errors: run.errors,
  }
}
