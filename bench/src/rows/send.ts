import { type Contender, createTopic } from '../contender.ts'
import { runSendLoad, type SendLoadOptions } from '../load/send-load.ts'
import { type Figures, measure } from '../measure.ts'

export interface Workload {
  readonly topics: readonly string[]
  readonly queueCount: number
  readonly bodyBytes: number
  readonly connections: number
  readonly inFlight: number
  readonly warmUp: number
  readonly messages: number
}

/** `scale` 1 is the published measurement; a smoke run uses a small one. */
export function sendWorkloads(
  scale: number,
): Record<'small' | 'kilobyte' | 'large' | 'single' | 'manyTopics' | 'sync', Workload> {
  const n = (count: number) => Math.max(64, Math.round(count * scale))
  const topics = Array.from(
    { length: Math.max(4, Math.round(1000 * Math.min(1, scale * 4))) },
    (_, i) => `BenchMany${i}`,
  )
  const base = { topics: ['BenchSend'], queueCount: 8, connections: 8, inFlight: 256 }
  return {
    small: { ...base, bodyBytes: 128, warmUp: n(200_000), messages: n(800_000) },
    kilobyte: { ...base, bodyBytes: 1024, connections: 4, inFlight: 64, warmUp: n(100_000), messages: n(300_000) },
    large: { ...base, bodyBytes: 65_536, connections: 4, inFlight: 32, warmUp: n(2_000), messages: n(16_000) },
    single: { ...base, bodyBytes: 128, connections: 1, inFlight: 1, warmUp: n(20_000), messages: n(20_000) },
    manyTopics: { ...base, topics, bodyBytes: 128, warmUp: n(200_000), messages: n(400_000) },
    sync: { ...base, bodyBytes: 128, warmUp: n(200_000), messages: n(400_000) },
  }
}

/**
 * A JVM needs about a million messages until its send path is compiled; both brokers get them before anything is measured.
 */
export async function warmUp(contender: Contender, scale: number): Promise<void> {
  const { small } = sendWorkloads(scale)
  await createTopic(contender.broker, 'BenchWarm', small.queueCount)
  await runSendLoad({ address: contender.broker, ...small, topics: ['BenchWarm'] })
}

export async function measureSend(contender: Contender, workload: Workload, scale: number): Promise<Figures> {
  await warmUp(contender, scale)
  for (const topic of workload.topics) await createTopic(contender.broker, topic, workload.queueCount)
  const options: SendLoadOptions = { address: contender.broker, ...workload }
  await runSendLoad({ ...options, messages: workload.warmUp })
  return measure(contender, () => runSendLoad(options))
}
