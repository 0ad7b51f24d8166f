import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Broker, type BrokerDeps, type BrokerOptions, createBrokerOptions, startBroker } from '@rocketmq-ts/broker'
import { encodeProperties } from '@rocketmq-ts/model'
import {
  CURRENT_VERSION,
  commandFlag,
  decodeFrame,
  encodeFrame,
  type RemotingCommand,
  RequestCode,
  requestCommand,
} from '@rocketmq-ts/protocol'
import { FrameDecoder } from '@rocketmq-ts/remoting'
import { nodeNetwork, realDisk, seededRandom, systemClock } from '@rocketmq-ts/runtime'

/** A directory that is removed at the test's end. */
export function temporaryDirectory(test: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'broker-'))
  test.after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** A broker on a free port of 127.0.0.1 with small files, closed at the test's end. */
export async function startTestBroker(
  test: TestContext,
  options: Partial<BrokerOptions> = {},
  deps: Partial<BrokerDeps> = {},
): Promise<Broker> {
  const directory = options.storePathRootDir ?? temporaryDirectory(test)
  const broker = await startBroker({
    network: nodeNetwork,
    clock: systemClock,
    random: seededRandom(1),
    disk: realDisk,
    options: createBrokerOptions({
      storePathRootDir: directory,
      listenPort: 0,
      bindAddress: '127.0.0.1',
      brokerIp1: '127.0.0.1',
      brokerIp2: '127.0.0.1',
      brokerName: 'broker-a',
      commitLogFileSizeBytes: 16 * 1024 * 1024,
      indexHashSlotCount: 1000,
      indexEntryCount: 4000,
      ...options,
    }),
    ...deps,
  })
  test.after(() => broker.close())
  return broker
}

/** A peer that speaks frames: requests, their answers by opaque, and what the broker sends by itself. */
export class Peer {
  readonly socket: Socket
  /** Requests of the broker to us. */
  readonly pushed: RemotingCommand[] = []
  readonly #answers = new Map<number, (answer: RemotingCommand) => void>()
  readonly #pushWaiters: (() => void)[] = []
  #opaque = 0
  readonly closed: Promise<void>

  private constructor(socket: Socket) {
    this.socket = socket
    const decoder = new FrameDecoder()
    socket.on('data', chunk => {
      decoder.push(chunk)
      while (decoder.next()) this.#take(decodeFrame(decoder.bytes, decoder.start, decoder.end))
    })
    socket.on('error', () => {})
    this.closed = new Promise(resolve => socket.on('close', () => resolve()))
  }

  static connect(test: TestContext, port: number): Promise<Peer> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(new Peer(socket)))
      socket.once('error', reject)
      test.after(() => socket.destroy())
    })
  }

  /** Resolves with the answer. */
  call(code: number, ext: Record<string, string>, body?: Buffer, version = CURRENT_VERSION): Promise<RemotingCommand> {
    return this.callMany([{ code, ext, body, version }])[0]!
  }

  /** Sends several requests in one piece; their answers, in the order of the requests. */
  callMany(
    requests: { code: number; ext: Record<string, string>; body?: Buffer | undefined; version?: number }[],
  ): Promise<RemotingCommand>[] {
    const frames: Buffer[] = []
    const answers = requests.map(({ code, ext, body, version = CURRENT_VERSION }) => {
      const command = requestCommand(code, ext, body, { version })
      command.opaque = ++this.#opaque
      frames.push(encodeFrame(command))
      return new Promise<RemotingCommand>(resolve => this.#answers.set(command.opaque, resolve))
    })
    this.socket.write(Buffer.concat(frames))
    return answers
  }

  sendOneway(code: number, ext: Record<string, string>, body?: Buffer): void {
    const command = requestCommand(code, ext, body)
    command.opaque = ++this.#opaque
    command.flag = commandFlag.oneway
    this.socket.write(encodeFrame(command))
  }

  /** Resolves when the broker has sent `count` requests in all. */
  async received(count: number): Promise<void> {
    while (this.pushed.length < count) await new Promise<void>(resolve => this.#pushWaiters.push(resolve))
  }

  close(): void {
    this.socket.destroy()
  }

  #take(command: RemotingCommand): void {
    // The bytes belong to the decoder; a test keeps them.
    if (command.body !== undefined) command.body = Buffer.from(command.body)
    void command.extFields
    if (!command.isResponse) {
      this.pushed.push(command)
      for (const resolve of this.#pushWaiters.splice(0)) resolve()
      return
    }
    this.#answers.get(command.opaque)?.(command)
    this.#answers.delete(command.opaque)
  }
}

/** What a send says; the rest has defaults. */
export interface SendFields {
  topic: string
  queueId?: number
  body?: Buffer
  properties?: Record<string, string>
  /** Instead of `properties`. */
  propertiesText?: string
  group?: string
  defaultTopic?: string
  queueCount?: number
  sysFlag?: number
  reconsumeTimes?: number
  maxReconsumeTimes?: number
  batch?: boolean
  version?: number
}

/** A SEND_MESSAGE_V2 request (or SEND_BATCH_MESSAGE). */
export function sendRequest(fields: SendFields) {
  const ext: Record<string, string> = {
    a: fields.group ?? 'PG',
    b: fields.topic,
    c: fields.defaultTopic ?? 'TBW102',
    d: String(fields.queueCount ?? 4),
    e: String(fields.queueId ?? 0),
    f: String(fields.sysFlag ?? 0),
    g: '1700000000000',
    h: '7',
    i: fields.propertiesText ?? encodeProperties(fields.properties ?? {}),
    j: String(fields.reconsumeTimes ?? 0),
    k: 'false',
    m: String(fields.batch ?? false),
  }
  if (fields.maxReconsumeTimes !== undefined) ext.l = String(fields.maxReconsumeTimes)
  const code = fields.batch ? RequestCode.SEND_BATCH_MESSAGE : RequestCode.SEND_MESSAGE_V2
  return { code, ext, body: fields.body ?? Buffer.from('hello'), version: fields.version ?? CURRENT_VERSION }
}

/** Sends one message. */
export function send(peer: Peer, fields: SendFields): Promise<RemotingCommand> {
  return peer.callMany([sendRequest(fields)])[0]!
}

export interface PullFields {
  topic: string
  group?: string
  queueId?: number
  offset?: number
  maxCount?: number
  sysFlag?: number
  subscription?: string
  expressionType?: string
  commitOffset?: number
  suspendMs?: number
  subVersion?: number
  code?: number
}

/** A PULL_MESSAGE request that carries its subscription (sysFlag 4) unless told otherwise. */
export function pullRequest(fields: PullFields) {
  const ext: Record<string, string> = {
    consumerGroup: fields.group ?? 'CG',
    topic: fields.topic,
    queueId: String(fields.queueId ?? 0),
    queueOffset: String(fields.offset ?? 0),
    maxMsgNums: String(fields.maxCount ?? 32),
    sysFlag: String(fields.sysFlag ?? 4),
    commitOffset: String(fields.commitOffset ?? 0),
    suspendTimeoutMillis: String(fields.suspendMs ?? 0),
    subscription: fields.subscription ?? '*',
    subVersion: String(fields.subVersion ?? 0),
    expressionType: fields.expressionType ?? 'TAG',
  }
  return { code: fields.code ?? RequestCode.PULL_MESSAGE, ext }
}

/** Pulls once. */
export function pull(peer: Peer, fields: PullFields): Promise<RemotingCommand> {
  return peer.callMany([pullRequest(fields)])[0]!
}
