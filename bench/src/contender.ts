import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  freePort,
  type ManagedProcess,
  type Properties,
  propertiesText,
  startJavaBroker,
  startJavaNamesrv,
  startOurStandalone,
  temporaryDirectory,
} from '../../test/peers/dist/index.js'
import { createGroupFrame, createTopicFrame, OPAQUE_BASE, sendTemplate } from './load/frames.ts'
import { RawConnection } from './load/raw-connection.ts'

/** One broker under measurement, with the name server it needs, on a directory of its own. */
export interface Contender {
  readonly name: 'ours' | 'java'
  readonly broker: string
  readonly namesrv: string
  /** The process whose CPU and memory count. */
  readonly process: ManagedProcess
  readonly storeDirectory: string
  /** Kills the broker with SIGKILL and starts it again on the same directory; resolves when it answers a send. */
  restartAfterKill(topic: string): Promise<{ seconds: number }>
  stop(): Promise<void>
}

export type Config = Properties

export interface StartedContender {
  readonly contender: Contender
  /** From the first spawn to the first acknowledged send. */
  readonly startSeconds: number
}

/** Asks again every 5 ms until a send is acknowledged: the moment a user's program could have gone on. */
async function firstAcknowledgedSend(address: string, topic: string, deadlineMs = 120_000): Promise<void> {
  const { bytes } = sendTemplate({ topic, queueId: 0, body: Buffer.from('first') })
  const until = performance.now() + deadlineMs
  while (performance.now() < until) {
    const code = await ask(address, bytes).catch(() => -1)
    if (code === 0) return
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  throw new Error(`${address} acknowledged nothing within ${deadlineMs} ms`)
}

/** One request on a connection of its own; resolves with the answer's code. */
export async function ask(address: string, frame: Buffer): Promise<number> {
  let settle: (code: number) => void = () => {}
  const answer = new Promise<number>(resolve => {
    settle = resolve
  })
  const connection = await RawConnection.open(
    address,
    (_opaque, code) => settle(code),
    () => {},
  )
  connection.socket.on('close', () => settle(-2))
  connection.socket.write(frame)
  const code = await answer
  connection.socket.removeAllListeners('close')
  connection.close()
  return code
}

export async function createTopic(address: string, topic: string, queueCount: number): Promise<void> {
  const code = await ask(address, createTopicFrame(topic, queueCount, OPAQUE_BASE))
  if (code !== 0) throw new Error(`creating topic ${topic} answered ${code}`)
}

export async function createGroup(address: string, group: string): Promise<void> {
  const code = await ask(address, createGroupFrame(group, OPAQUE_BASE))
  if (code !== 0) throw new Error(`creating group ${group} answered ${code}`)
}

/** The file sizes of the Java defaults, for both. */
const fileSizes: Config = {
  mappedFileSizeCommitLog: 1024 * 1024 * 1024,
  maxIndexNum: 20_000_000,
  maxHashSlotNum: 5_000_000,
}

interface Running {
  readonly process: ManagedProcess
  readonly broker: string
  readonly namesrv: string
}

/** A contender whose broker `start` starts, also again; `end` frees what is left once it has stopped. */
async function startContender(
  name: Contender['name'],
  storeDirectory: string,
  startedAt: number,
  start: () => Promise<Running>,
  end: () => Promise<void>,
): Promise<StartedContender> {
  let running = await start()
  await firstAcknowledgedSend(running.broker, 'BenchStart')
  const startSeconds = (performance.now() - startedAt) / 1000
  const contender: Contender = {
    name,
    broker: running.broker,
    namesrv: running.namesrv,
    storeDirectory,
    get process() {
      return running.process
    },
    async restartAfterKill(topic) {
      await running.process.stop('SIGKILL')
      const from = performance.now()
      running = await start()
      await firstAcknowledgedSend(running.broker, topic)
      return { seconds: (performance.now() - from) / 1000 }
    },
    async stop() {
      await running.process.stop()
      await end()
    },
  }
  return { contender, startSeconds }
}

/** The Java broker with 4 GiB of heap and its default settings, or `config` over them. */
export async function startJavaContender(config: Config = {}): Promise<StartedContender> {
  const home = temporaryDirectory('bench-java')
  const storeDirectory = join(home.path, 'store')
  mkdirSync(storeDirectory)
  const startedAt = performance.now()
  const namesrv = await startJavaNamesrv(home.path)
  const options = { heap: '4g', port: await freePort(), readyTimeoutMs: 180_000, config: { ...fileSizes, ...config } }
  const start = async () => {
    const broker = await startJavaBroker(home.path, namesrv.address, storeDirectory, options)
    return { process: broker.process, broker: broker.address, namesrv: namesrv.address }
  }
  return startContender('java', storeDirectory, startedAt, start, async () => {
    await namesrv.process.stop()
    home.dispose()
  })
}

/** Our standalone server: name server and broker in one process. */
export async function startOurContender(config: Config = {}): Promise<StartedContender> {
  const home = temporaryDirectory('bench-ours')
  const storeDirectory = join(home.path, 'store')
  const namesrvPort = await freePort()
  const brokerPort = await freePort()
  const configFile = join(home.path, 'broker.conf')
  const common = { brokerName: 'broker-a', diskMaxUsedSpaceRatio: 95, fileReservedTime: 876_000 }
  writeFileSync(configFile, propertiesText({ ...common, ...fileSizes, ...config }))
  const nodeArgs = process.env.BENCH_CPU_PROF ? ['--cpu-prof', `--cpu-prof-dir=${process.env.BENCH_CPU_PROF}`] : []
  const start = () => startOurStandalone(storeDirectory, { namesrvPort, brokerPort, configFile, nodeArgs })
  return startContender('ours', storeDirectory, performance.now(), start, async () => home.dispose())
}
