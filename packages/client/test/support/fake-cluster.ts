import {
  decodeSendRequest,
  type HeartbeatData,
  heartbeatData,
  type RemotingCommand,
  RequestCode,
  responseCommand,
  type SendMessageHeader,
  topicRouteData,
} from '@rocketmq-ts/protocol'
import { type Connection, RpcServer } from '@rocketmq-ts/remoting'
import { nodeNetwork, systemClock } from '@rocketmq-ts/runtime'

/** One broker set as the name server knows it. */
export interface FakeRoute {
  brokerName: string
  /** id → address; id 0 is the master. */
  addresses: Record<number, string>
  queues?: number
  perm?: number
}

async function listen(): Promise<{ server: RpcServer; address: string }> {
  const server = new RpcServer({ network: nodeNetwork, clock: systemClock })
  const { host, port } = await server.listen({ host: '127.0.0.1', port: 0 })
  return { server, address: `${host}:${port}` }
}

/** A name server that answers from a table the test fills. */
export class FakeNameServer {
  readonly address: string
  readonly routes = new Map<string, FakeRoute[]>()
  readonly asked: string[] = []
  /** Answers nothing while true. */
  isSilent = false
  readonly #server: RpcServer

  private constructor(server: RpcServer, address: string) {
    this.#server = server
    this.address = address
    server.router.handleRaw(RequestCode.GET_ROUTEINFO_BY_TOPIC, (command, connection) => {
      const topic = command.extFields?.topic ?? ''
      this.asked.push(topic)
      if (!this.isSilent) connection.respond(command, this.#answer(command, topic))
    })
  }

  static async start(): Promise<FakeNameServer> {
    const { server, address } = await listen()
    return new FakeNameServer(server, address)
  }

  close(): Promise<void> {
    return this.#server.close()
  }

  #answer(command: RemotingCommand, topic: string): RemotingCommand {
    const sets = this.routes.get(topic)
    if (!sets) return responseCommand(command, 17, `No topic route info in name server for the topic: ${topic}`)
    const body = topicRouteData.encode({
      queueDatas: sets.map(set => ({
        brokerName: set.brokerName,
        readQueueNums: set.queues ?? 4,
        writeQueueNums: set.queues ?? 4,
        perm: set.perm ?? 6,
        topicSysFlag: 0,
      })),
      brokerDatas: sets.map(set => ({
        cluster: 'DefaultCluster',
        brokerName: set.brokerName,
        brokerAddrs: new Map(Object.entries(set.addresses).map(([id, address]) => [Number(id), address])),
        enableActingMaster: false,
      })),
      filterServerTable: new Map(),
    })
    return responseCommand(command, 0, undefined, {}, body)
  }
}

/** One message as a broker got it. */
export interface ReceivedSend {
  readonly header: SendMessageHeader
  readonly body: Buffer
  readonly command: RemotingCommand
  readonly connection: Connection
}

/** What the script of a broker says about one send: a response code, nothing at all, or a lost connection. */
export type SendScript = (send: ReceivedSend, count: number) => number | 'silent' | 'close'

/** A broker that takes every message, unless its script says otherwise. */
export class FakeBroker {
  readonly name: string
  readonly address: string
  readonly server: RpcServer
  readonly sends: ReceivedSend[] = []
  readonly heartbeats: HeartbeatData[] = []
  readonly unregistered: Record<string, string>[] = []
  script: SendScript = () => 0
  #waiters: { count: number; resolve: () => void }[] = []

  private constructor(name: string, server: RpcServer, address: string) {
    this.name = name
    this.server = server
    this.address = address
    const onSend = (command: RemotingCommand, connection: Connection) => this.#onSend(command, connection)
    server.router.handleRaw(RequestCode.SEND_MESSAGE_V2, onSend)
    server.router.handleRaw(RequestCode.SEND_BATCH_MESSAGE, onSend)
    server.router.handleRaw(RequestCode.SEND_REPLY_MESSAGE_V2, onSend)
    server.router.handleRaw(RequestCode.HEART_BEAT, (command, connection) => {
      this.heartbeats.push(heartbeatData.decode(command.body as Buffer))
      connection.respond(
        command,
        responseCommand(command, 0, undefined, { IS_SUPPORT_HEART_BEAT_V2: 'true', IS_SUB_CHANGE: 'false' }),
      )
      this.#wake()
    })
    server.router.handleRaw(RequestCode.UNREGISTER_CLIENT, (command, connection) => {
      this.unregistered.push({ ...command.extFields })
      connection.respond(command, responseCommand(command, 0, undefined, {}))
    })
  }

  static async start(name: string): Promise<FakeBroker> {
    const { server, address } = await listen()
    return new FakeBroker(name, server, address)
  }

  get route(): FakeRoute {
    return { brokerName: this.name, addresses: { 0: this.address } }
  }

  /** Resolves when that many sends and heartbeats came in altogether. */
  async seen(what: 'sends' | 'heartbeats', count: number): Promise<void> {
    while (this[what].length < count) await new Promise<void>(resolve => this.#waiters.push({ count, resolve }))
  }

  /** Answers a send that the script left silent. */
  answer(send: ReceivedSend, code = 0): void {
    const ext = {
      msgId: '7F00000100002A9F0000000000000001',
      queueId: String(send.header.queueId),
      queueOffset: String(this.sends.indexOf(send)),
      MSG_REGION: 'DefaultRegion',
      TRACE_ON: 'true',
    }
    const stored = [0, 10, 11, 12].includes(code)
    send.connection.respond(
      send.command,
      responseCommand(send.command, code, stored ? undefined : `code ${code}`, stored ? ext : {}),
    )
  }

  close(): Promise<void> {
    return this.server.close()
  }

  #onSend(command: RemotingCommand, connection: Connection): void {
    const send = { header: decodeSendRequest(command), body: Buffer.from(command.body ?? []), command, connection }
    this.sends.push(send)
    const verdict = this.script(send, this.sends.length)
    if (verdict === 'close') connection.close('scripted')
    else if (verdict !== 'silent' && !command.isOneway) this.answer(send, verdict)
    this.#wake()
  }

  #wake(): void {
    for (const waiter of this.#waiters.splice(0)) waiter.resolve()
  }
}

/** A name server and brokers, with one topic on all of them. */
export interface FakeCluster extends AsyncDisposable {
  readonly nameServer: FakeNameServer
  readonly brokers: FakeBroker[]
}

/** Topic `T` (and TBW102 with `defaultTopic`) on `brokerCount` brokers named `b0`, `b1` …. */
export async function startFakeCluster(brokerCount = 1): Promise<FakeCluster> {
  const nameServer = await FakeNameServer.start()
  const brokers: FakeBroker[] = []
  for (let i = 0; i < brokerCount; i++) brokers.push(await FakeBroker.start(`b${i}`))
  nameServer.routes.set(
    'T',
    brokers.map(broker => broker.route),
  )
  return {
    nameServer,
    brokers,
    async [Symbol.asyncDispose]() {
      await Promise.all([nameServer.close(), ...brokers.map(broker => broker.close())])
    },
  }
}

/** Resolves to what `promise` rejects with; fails when it doesn't. */
export async function rejectionOf(
  promise: Promise<unknown>,
): Promise<Error & { code: string; details: Record<string, unknown> }> {
  try {
    await promise
  } catch (error) {
    return error as Error & { code: string; details: Record<string, unknown> }
  }
  throw new Error('the promise was expected to reject')
}
