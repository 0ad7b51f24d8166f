import { type Contender, createGroup, createTopic } from '../contender.ts'
import { OPAQUE_BASE, patchOpaque, pullFrame, sendTemplate } from '../load/frames.ts'
import { LatencyHistogram } from '../load/latency.ts'
import { numberAfter, RawConnection } from '../load/raw-connection.ts'

/**
 * One consumer parked in a long poll, one message at a time: from the producer's write to the arrival of the pull's answer.
 * Milliseconds.
 */
export async function measureEndToEnd(contender: Contender, scale: number): Promise<{ p50Ms: number; p99Ms: number }> {
  const topic = 'BenchEndToEnd'
  const group = 'bench-waiter'
  await createTopic(contender.broker, topic, 1)
  await createGroup(contender.broker, group)
  const rounds = Math.max(50, Math.round(5000 * scale))
  const latency = new LatencyHistogram()
  let offset = 0
  let sentAt = 0
  let arrived: () => void = () => {}
  const consumer = await RawConnection.open(
    contender.broker,
    (_opaque, code, chunk, headerStart) => {
      offset = numberAfter(chunk, '"nextBeginOffset":"', headerStart)
      if (code === 0) {
        latency.add(performance.now() - sentAt)
        arrived()
      } else pull()
    },
    () => {},
  )
  const producer = await RawConnection.open(
    contender.broker,
    () => {},
    () => {},
  )
  const pull = () =>
    consumer.socket.write(
      pullFrame({ topic, group, queueId: 0, offset, maxCount: 32, opaque: OPAQUE_BASE, suspendMs: 15_000 }),
    )
  const { bytes, opaqueAt } = sendTemplate({ topic, queueId: 0, body: Buffer.alloc(128, 'x') })
  for (let round = 0; round < rounds * 1.2; round++) {
    const answer = new Promise<void>(resolve => {
      arrived = resolve
    })
    pull()
    // The poll is parked before the message is sent; a broker idle for 2 ms has it.
    await new Promise(resolve => setTimeout(resolve, 2))
    const frame = Buffer.from(bytes)
    patchOpaque(frame, opaqueAt, OPAQUE_BASE + round)
    sentAt = performance.now()
    producer.socket.write(frame)
    await answer
  }
  consumer.close()
  producer.close()
  return { p50Ms: latency.percentile(0.5), p99Ms: latency.percentile(0.99) }
}
