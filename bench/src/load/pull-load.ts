import { OPAQUE_BASE, pullFrame } from './frames.ts'
import { LatencyHistogram } from './latency.ts'
import { numberAfter, RawConnection } from './raw-connection.ts'
import type { LoadResult } from './send-load.ts'

export interface PullLoadOptions {
  readonly address: string
  readonly topic: string
  readonly group: string
  readonly queueCount: number
  readonly maxCount: number
  readonly connections: number
  /** Messages to pull in all; each reader starts again at its queue's begin when it reaches the end. */
  readonly messages: number
}

/** Reads its queues one after another, one pull outstanding for each, from the first message to the last and again. */
class Puller {
  private connection!: RawConnection
  private readonly offsets: number[]
  private readonly askedAt: number[]

  private readonly options: PullLoadOptions
  private readonly queueIds: readonly number[]
  private readonly run: PullRun

  constructor(options: PullLoadOptions, queueIds: readonly number[], run: PullRun) {
    this.options = options
    this.queueIds = queueIds
    this.run = run
    this.offsets = queueIds.map(() => 0)
    this.askedAt = queueIds.map(() => 0)
  }

  async start(): Promise<void> {
    this.connection = await RawConnection.open(
      this.options.address,
      (opaque, code, chunk, headerStart, bodyStart, bodyEnd) =>
        this.onAnswer(opaque - OPAQUE_BASE, code, chunk, headerStart, bodyStart, bodyEnd),
      () => {},
    )
    this.connection.socket.on('close', () => this.run.fail(new Error('the broker closed a connection')))
    for (let index = 0; index < this.queueIds.length; index++) this.pull(index)
  }

  close(): void {
    this.connection.socket.removeAllListeners('close')
    this.connection.close()
  }

  private onAnswer(
    index: number,
    code: number,
    chunk: Buffer,
    headerStart: number,
    bodyStart: number,
    bodyEnd: number,
  ): void {
    this.run.latency.add(performance.now() - (this.askedAt[index] ?? 0))
    if (code === 0) {
      let count = 0
      for (let at = bodyStart; at < bodyEnd; at += chunk.readInt32BE(at)) count++
      this.offsets[index] = numberAfter(chunk, '"nextBeginOffset":"', headerStart)
      if (this.run.received(count, bodyEnd - bodyStart)) this.pull(index)
    } else if (code === 19 || code === 21) {
      this.offsets[index] = 0
      if (this.run.received(0, 0)) this.pull(index)
    } else this.run.fail(new Error(`pull answered ${code}`))
  }

  private pull(index: number): void {
    this.askedAt[index] = performance.now()
    const { topic, group, maxCount } = this.options
    const queueId = this.queueIds[index] ?? 0
    const offset = this.offsets[index] ?? 0
    this.connection.socket.write(pullFrame({ topic, group, queueId, offset, maxCount, opaque: OPAQUE_BASE + index }))
  }
}

class PullRun {
  readonly latency = new LatencyHistogram()
  messages = 0
  bytes = 0
  readonly fail: (error: Error) => void
  private readonly target: number
  private readonly finish: () => void

  constructor(target: number, finish: () => void, fail: (error: Error) => void) {
    this.target = target
    this.finish = finish
    this.fail = fail
  }

  received(count: number, bytes: number): boolean {
    this.messages += count
    this.bytes += bytes
    if (this.messages < this.target) return true
    this.finish()
    return false
  }
}

/** Pulls `messages` messages and tells how long it took. */
export async function runPullLoad(options: PullLoadOptions): Promise<LoadResult> {
  let pullers: Puller[] = []
  const started = performance.now()
  const run = await new Promise<PullRun>((resolve, reject) => {
    const load = new PullRun(options.messages, () => resolve(load), reject)
    const all = Array.from({ length: options.queueCount }, (_, queueId) => queueId)
    pullers = Array.from(
      { length: options.connections },
      (_, i) =>
        new Puller(
          options,
          all.filter(queueId => queueId % options.connections === i),
          load,
        ),
    )
    Promise.all(pullers.map(puller => puller.start())).catch(reject)
  }).finally(() => {
    for (const puller of pullers) puller.close()
  })
  const seconds = (performance.now() - started) / 1000
  const { messages, bytes, latency } = run
  return { messages, bytes, seconds, p50Ms: latency.percentile(0.5), p99Ms: latency.percentile(0.99), errors: {} }
}
