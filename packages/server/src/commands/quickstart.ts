import { createProducer, createPushConsumer } from '@rocketmq-ts/client'
import { type Standalone, startStandalone } from '@rocketmq-ts/embedded'
import { makeTemporaryDirectory } from '@rocketmq-ts/embedded/internal'
import { deferred, RocketMqError } from '@rocketmq-ts/runtime'
import { Command } from 'commander'
import type { ProgramIo } from '../program-io.ts'
import { runUntilStopped, type Service } from '../service-run.ts'

const TOPIC = 'QuickstartTopic'
const MESSAGES = 10
const defaultPorts = { namesrv: 9876, broker: 10911 }

/** `npm run quickstart`: a server in a temporary directory, and ten messages through it. */
export function quickstartCommand(io: ProgramIo): Command {
  return new Command('quickstart')
    .description('Start a RocketMQ in a temporary directory, and send and receive ten messages.')
    .option('--once', 'stop afterwards instead of waiting for Ctrl-C')
    .action((flags: { readonly once?: boolean }) => runQuickstart(io, flags.once ?? false))
}

async function runQuickstart(io: ProgramIo, isOnce: boolean): Promise<void> {
  const dataDirectory = makeTemporaryDirectory(io.disk)
  try {
    if (isOnce) {
      const service = await startAndShow(io, dataDirectory)
      await service.close()
      return
    }
    await runUntilStopped(io, async () => {
      const service = await startAndShow(io, dataDirectory)
      showWhereToLookNext(io, service)
      return service
    })
    io.out('Stopped; the temporary directory is removed.')
  } finally {
    io.disk.removeDirectory(dataDirectory)
  }
}

async function startAndShow(io: ProgramIo, dataDirectory: string): Promise<Standalone & Service> {
  const standalone = await startOnPossiblePorts(io, dataDirectory)
  try {
    io.out(
      `Name server on ${standalone.namesrvAddress}, broker on ${standalone.brokerAddress}, files in ${dataDirectory}.`,
    )
    await passMessages(io, standalone.namesrvAddress)
    return standalone
  } catch (error) {
    await standalone.close()
    throw error
  }
}

/** On RocketMQ's own ports; where one is taken, on a free one. */
async function startOnPossiblePorts(io: ProgramIo, dataDirectory: string): Promise<Standalone> {
  let { namesrv, broker } = defaultPorts
  for (;;) {
    try {
      return await startStandalone({ dataDirectory, namesrvPort: namesrv, brokerPort: broker, disk: io.disk })
    } catch (error) {
      const busy = busyPort(error)
      if (busy === undefined || (busy !== namesrv && busy !== broker)) throw error
      io.out(`Port ${busy} is in use; taking a free one instead.`)
      if (busy === namesrv) namesrv = 0
      else broker = 0
    }
  }
}

function busyPort(error: unknown): number | undefined {
  if (!RocketMqError.is(error) || error.code !== 'ADDRESS_IN_USE') return undefined
  const port = Number(String(error.details.address).split(':').at(-1))
  return port > 0 ? port : undefined
}

async function passMessages(io: ProgramIo, nameServers: string): Promise<void> {
  await using producer = await createProducer({ nameServers, group: 'quickstart-producer' })
  for (let number = 1; number <= MESSAGES; number++) {
    const { messageId, queue, queueOffset } = await producer.send({ topic: TOPIC, body: `Hello RocketMQ ${number}` })
    io.out(`sent      ${messageId}  queue ${queue.queueId}  offset ${queueOffset}`)
  }
  const all = deferred()
  let received = 0
  await using consumer = await createPushConsumer({
    nameServers,
    group: 'quickstart-consumer',
    subscriptions: { [TOPIC]: '*' },
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
  })
  await consumer.start(([message]) => {
    io.out(`received  ${message?.messageId}  queue ${message?.queueId}  "${message?.body}"`)
    if (++received === MESSAGES) all.resolve()
  })
  await all.promise
  io.out(`All ${MESSAGES} messages were sent, stored and received.`)
}

function showWhereToLookNext(io: ProgramIo, { namesrvAddress }: Standalone): void {
  const lines = [
    '',
    'This server stays up until Ctrl-C. Meanwhile:',
    `  any RocketMQ client        name server ${namesrvAddress} (NAMESRV_ADDR=${namesrvAddress})`,
    `  Java's tools               mqadmin topicStatus -n ${namesrvAddress} -t ${TOPIC}`,
    'Next:',
    '  a server that keeps data   npx rocketmq standalone --data ./rocketmq-data',
    '  in your own program        README.md, "A producer and a consumer"',
    '  in your tests              packages/embedded: await using rocketmq = await startRocketMQ()',
    '  how it works               ARCHITECTURE.md',
  ]
  for (const line of lines) io.out(line)
}
