import { type Contender, createTopic } from '../contender.ts'
import { runSendLoad } from '../load/send-load.ts'

/** 1,000 topics of 8 queues, each with messages; killed; the time until the broker acknowledges a send again. Seconds. */
export async function measureRestart(contender: Contender, scale: number): Promise<number> {
  const topicCount = Math.max(10, Math.round(1000 * scale))
  const topics = Array.from({ length: topicCount }, (_, i) => `BenchRestart${i}`)
  for (const topic of topics) await createTopic(contender.broker, topic, 8)
  await runSendLoad({
    address: contender.broker,
    topics,
    queueCount: 8,
    bodyBytes: 128,
    connections: 8,
    inFlight: 64,
    messages: topicCount * 8 * 12,
  })
  return (await contender.restartAfterKill('BenchStart')).seconds
}
