import { type ManagedProcess, startAliOnsPeer, startJava, temporaryDirectory } from '../../../test/peers/dist/index.js'
import { type Contender, createGroup, createTopic } from '../contender.ts'
import { runSendLoad } from '../load/send-load.ts'
import { startOurClient } from '../our-client.ts'

/** What one client did: messages per second, and per second of its own CPU. */
export interface ClientFigures {
  readonly perSecond: number
  readonly perCpuSecond: number
  readonly rssBytes: number
}

export type ClientName = 'ours' | 'ali-ons' | 'java'

async function startClient(name: ClientName, args: readonly string[], home: string): Promise<ManagedProcess> {
  if (name === 'ours') return startOurClient(args)
  if (name === 'ali-ons') return startAliOnsPeer(args)
  return startJava('java client', 'JavaPeer', args, { home, heap: '1g' })
}

async function runClient(name: ClientName, args: readonly string[]): Promise<ClientFigures> {
  const home = temporaryDirectory('bench-client')
  try {
    const child = await startClient(name, args, home.path)
    const match = await child.waitFor(/result (\{.*\})/, 300_000)
    const { rssBytes } = readUsage(child)
    await child.stop('SIGKILL')
    const result = JSON.parse(match[1] ?? '{}') as {
      messages: number
      seconds: number
      cpuSeconds: number
      failed?: number
    }
    if (result.failed) throw new Error(`${name}: ${result.failed} sends failed`)
    return { perSecond: result.messages / result.seconds, perCpuSecond: result.messages / result.cpuSeconds, rssBytes }
  } finally {
    home.dispose()
  }
}

/** A client may have ended between its last line and our look at it. */
function readUsage(child: ManagedProcess): { rssBytes: number } {
  try {
    return child.usage()
  } catch {
    return { rssBytes: Number.NaN }
  }
}

/** 128 B messages, 256 sends outstanding. */
export async function measureClientSend(contender: Contender, name: ClientName, scale: number): Promise<ClientFigures> {
  const topic = `BenchClientSend-${name}`
  await createTopic(contender.broker, topic, 8)
  const count = (full: number) => `${Math.max(500, Math.round(full * scale))}`
  const args = [
    'namesrv',
    contender.namesrv,
    'topic',
    topic,
    'group',
    `bench-${name}`,
    'warm',
    count(100_000),
    'count',
    count(300_000),
  ]
  return runClient(name, ['produce-load', ...pairs(args), 'size=128', 'inFlight=256'])
}

/** A backlog of 128 B messages through each client's push consumer, one message a handler call. */
export async function measureClientConsume(
  contender: Contender,
  name: ClientName,
  scale: number,
): Promise<ClientFigures> {
  const topic = `BenchClientConsume-${name}`
  const group = `bench-consume-${name}`
  const backlog = Math.max(2000, Math.round(500_000 * scale))
  await createTopic(contender.broker, topic, 8)
  await createGroup(contender.broker, group)
  await runSendLoad({
    address: contender.broker,
    topics: [topic],
    queueCount: 8,
    bodyBytes: 128,
    connections: 4,
    inFlight: 128,
    messages: backlog,
  })
  const args = [
    'namesrv',
    contender.namesrv,
    'topic',
    topic,
    'group',
    group,
    'count',
    String(Math.round(backlog * 0.95)),
  ]
  return runClient(name, ['consume-load', ...pairs(args)])
}

function pairs(flat: readonly string[]): string[] {
  const out: string[] = []
  for (let i = 0; i + 1 < flat.length; i += 2) out.push(`${flat[i]}=${flat[i + 1]}`)
  return out
}
