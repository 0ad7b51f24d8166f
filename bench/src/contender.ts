import { mkdirSync } from 'node:fs'
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
import { createGroupFrame, createTopicFrame, OPAQUE_BASE } from './load/frames.ts'
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
  const { sendTemplate } = await import('./load/frames.ts')
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

/** The Java broker with 4 GiB of heap and its default settings, or `config` over them. */
export async function startJavaContender(config: Config = {}): Promise<StartedContender> {
  const home = temporaryDirectory('bench-java')
  const storeDirectory = join(home.path, 'store')
  mkdirSync(storeDirectory)
  const started = performance.now()
  const namesrv = await startJavaNamesrv(home.path)
  const port = await freePort()
  const start = () =>
    startJavaBroker(home.path, namesrv.address, storeDirectory, {
      heap: '4g',
      port,
      readyTimeoutMs: 180_000,
      config: {
        mappedFileSizeCommitLog: 1024 * 1024 * 1024,
        maxIndexNum: 20_000_000,
        maxHashSlotNum: 5_000_000,
        ...config,
      },
    })
  let broker = await start()
  await firstAcknowledgedSend(broker.address, 'BenchStart')
  const startSeconds = (performance.now() - started) / 1000
  const contender: Contender = {
    name: 'java',
    broker: broker.address,
    namesrv: namesrv.address,
    storeDirectory,
    get process() {
      return broker.process
    },
    async restartAfterKill(topic) {
      await broker.process.stop('SIGKILL')
      const from = performance.now()
      broker = await start()
      await firstAcknowledgedSend(broker.address, topic)
      return { seconds: (performance.now() - from) / 1000 }
    },
    async stop() {
      await broker.process.stop()
      await namesrv.process.stop()
      home.dispose()
    },
  }
  return { contender, startSeconds }
}

/** Our standalone server (name server and broker in one process) with the segment sizes of the Java defaults. */
export async function startOurContender(config: Config = {}): Promise<StartedContender> {
  const { writeFileSync } = await import('node:fs')
  const home = temporaryDirectory('bench-ours')
  const storeDirectory = join(home.path, 'store')
  const namesrvPort = await freePort()
  const brokerPort = await freePort()
  const settings: Config = {
    brokerName: 'broker-a',
    mappedFileSizeCommitLog: 1024 * 1024 * 1024,
    maxIndexNum: 20_000_000,
    maxHashSlotNum: 5_000_000,
    diskMaxUsedSpaceRatio: 95,
    fileReservedTime: 876_000,
    ...config,
  }
  const configFile = join(home.path, 'broker.conf')
  writeFileSync(configFile, propertiesText(settings))
  const nodeArgs = process.env.BENCH_CPU_PROF ? ['--cpu-prof', `--cpu-prof-dir=${process.env.BENCH_CPU_PROF}`] : []
  const start = () => startOurStandalone(storeDirectory, { namesrvPort, brokerPort, configFile, nodeArgs })
  const started = performance.now()
  let standalone = await start()
  await firstAcknowledgedSend(standalone.broker, 'BenchStart')
  const startSeconds = (performance.now() - started) / 1000
  const contender: Contender = {
    name: 'ours',
    broker: standalone.broker,
    namesrv: standalone.namesrv,
    storeDirectory,
    get process() {
      return standalone.process
    },
    async restartAfterKill(topic) {
      await standalone.process.stop('SIGKILL')
      const from = performance.now()
      standalone = await start()
      await firstAcknowledgedSend(standalone.broker, topic)
      return { seconds: (performance.now() - from) / 1000 }
    },
    async stop() {
      await standalone.process.stop()
      home.dispose()
    },
  }
  return { contender, startSeconds }
}
