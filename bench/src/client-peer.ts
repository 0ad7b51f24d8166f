/**
 * Our client as a program for the benchmark: `client-peer produce-load|consume-load key=value …`; prints one `result` line
 * with messages, seconds and CPU seconds, as the peers in test/peers do.
 */
import { createProducer, createPushConsumer } from '@rocketmq-ts/client'

const options = new Map<string, string>()
for (const argument of process.argv.slice(3)) {
  const at = argument.indexOf('=')
  options.set(argument.slice(0, at), argument.slice(at + 1))
}
const text = (key: string, fallback = '') => options.get(key) ?? fallback
const number = (key: string, fallback: number) => Number(options.get(key) ?? fallback)

interface Mark {
  readonly at: number
  readonly cpuSeconds: number
}

function mark(): Mark {
  const { user, system } = process.cpuUsage()
  return { at: performance.now(), cpuSeconds: (user + system) / 1e6 }
}

function report(messages: number, from: Mark, failed: number): void {
  const to = mark()
  const result = { messages, seconds: (to.at - from.at) / 1000, cpuSeconds: to.cpuSeconds - from.cpuSeconds, failed }
  process.stdout.write(`result ${JSON.stringify(result)}\n`)
}

async function produceLoad(): Promise<void> {
  const producer = await createProducer({ nameServers: text('namesrv'), group: text('group') })
  const body = Buffer.alloc(number('size', 128), 'x')
  const topic = text('topic')
  let failed = 0
  for (const [round, count] of [number('warm', 0), number('count', 100_000)].entries()) {
    const from = mark()
    let left = count
    const worker = async () => {
      while (left-- > 0) {
        try {
          await producer.send({ topic, tags: 'a', body })
        } catch {
          failed++
        }
      }
    }
    await Promise.all(Array.from({ length: number('inFlight', 256) }, worker))
    if (round === 1) report(count, from, failed)
  }
  await producer.close()
}

async function consumeLoad(): Promise<void> {
  const count = number('count', 100_000)
  let seen = 0
  let from: Mark | undefined
  let finish: () => void = () => {}
  const done = new Promise<void>(resolve => {
    finish = resolve
  })
  const consumer = await createPushConsumer({
    nameServers: text('namesrv'),
    group: text('group'),
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
    subscriptions: { [text('topic')]: '*' },
    handler: messages => {
      from ??= mark()
      seen += messages.length
      if (seen >= count) finish()
    },
  })
  await done
  if (from) report(count, from, 0)
  await consumer.close()
}

const commands: Record<string, () => Promise<void>> = { 'produce-load': produceLoad, 'consume-load': consumeLoad }
await commands[process.argv[2] ?? '']?.()
