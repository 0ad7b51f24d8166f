import {
  decodeSendRequest,
  type ExtFields,
  heartbeatData,
  lockBatchRequestBody,
  lockBatchResponseBody,
  type RemotingCommand,
  RequestCode,
  requestCommand,
  responseCommand,
} from '@rocketmq-ts/protocol'
import { type Connection, RpcServer } from '@rocketmq-ts/remoting'
import { nodeNetwork, systemClock } from '@rocketmq-ts/runtime'
import type { FakeRoute } from './fake-cluster.ts'
import { type RecordOptions, record } from './records.ts'

/** A pull that waits for messages. */
interface HeldPull {
  readonly command: RemotingCommand
  readonly connection: Connection
}

/** An answer that a test's script gives instead of the broker's own; 'silent' gives none. */
export type ScriptedAnswer = { code: number; remark?: string; ext?: ExtFields; body?: Buffer } | 'silent' | undefined

/**
 * What a consumer needs of a broker: queues in memory, long polling, offsets, membership from heartbeats, send-back. Each
 * request is kept for the test to look at; `script` may answer any of them in the broker's stead.
 */
export class FakeConsumerBroker {
  readonly name: string
  readonly address: string
  readonly server: RpcServer
  /** Every request, in order of arrival. */
  readonly requests: RemotingCommand[] = []
  /** `group topic queueId` → offset. */
  readonly offsets = new Map<string, number>()
  /** group → client ids, from heartbeats. Entries that no heartbeat made stand for members elsewhere. */
  readonly members = new Map<string, Set<string>>()
  /** Lowest offset of each queue. */
  minOffset = 0
  /** Whether a message that is sent back comes to the retry topic, at once. */
  redelivers = false
  /** `group topic queueId` → client id. A test may delete them or give them away. */
  readonly locks = new Map<string, string>()
  /** Time for locks, which expire after a minute; stands still unless the test sets it. */
  nowMs: () => number = () => 0
  readonly #lockedAtMs = new Map<string, number>()
  script: (command: RemotingCommand) => ScriptedAnswer = () => undefined
  readonly #queues = new Map<string, Buffer[]>()
  /** By physical offset. */
  readonly #stored = new Map<number, RecordOptions & { topic: string }>()
  readonly #held = new Map<string, HeldPull[]>()
  readonly #clients = new Map<string, Connection>()
  #nextPhysicalOffset = 1000

  private constructor(name: string, server: RpcServer, address: string) {
    this.name = name
    this.server = server
    this.address = address
    server.router.handleOthers((command, connection) => this.#on(command, connection))
  }

  static async start(name: string): Promise<FakeConsumerBroker> {
    const server = new RpcServer({ network: nodeNetwork, clock: systemClock })
    const { host, port } = await server.listen({ host: '127.0.0.1', port: 0 })
    return new FakeConsumerBroker(name, server, `${host}:${port}`)
  }

  route(queues: number): FakeRoute {
    return { brokerName: this.name, addresses: { 0: this.address }, queues }
  }

  /** Stores a message and wakes the pulls that wait for it; returns its queue offset. */
  put(topic: string, queueId: number, options: RecordOptions = {}): number {
    const key = `${topic} ${queueId}`
    const queue = this.#queues.get(key) ?? []
    this.#queues.set(key, queue)
    const queueOffset = queue.length
    const physicalOffset = this.#nextPhysicalOffset++
    this.#stored.set(physicalOffset, { uniqueKey: `${key} ${queueOffset}`, ...options, topic })
    queue.push(record({ uniqueKey: `${key} ${queueOffset}`, ...options, topic, queueId, queueOffset, physicalOffset }))
    const held = this.#held.get(key) ?? []
    this.#held.delete(key)
    for (const pull of held) this.#pull(pull.command, pull.connection, false)
    return queueOffset
  }

  /** Requests of one code. */
  of(code: number): RemotingCommand[] {
    return this.requests.filter(command => command.code === code)
  }

  offset(group: string, topic: string, queueId: number): number | undefined {
    return this.offsets.get(`${group} ${topic} ${queueId}`)
  }

  /** The number of pulls that wait for messages. */
  get heldCount(): number {
    return [...this.#held.values()].reduce((sum, held) => sum + held.length, 0)
  }

  /** Answers all waiting pulls as a broker does when their time is up. */
  releaseHeld(): void {
    const all = [...this.#held.values()].flat()
    this.#held.clear()
    for (const { command, connection } of all) this.#pull(command, connection, false)
  }

  /** Tells the members of a group that it changed. */
  notifyChanged(group: string): void {
    for (const clientId of this.members.get(group) ?? []) {
      const connection = this.#clients.get(clientId)
      connection?.sendOneway(requestCommand(RequestCode.NOTIFY_CONSUMER_IDS_CHANGED, { consumerGroup: group }))
    }
  }

  /** Asks a client, as tools do through the broker. */
  ask(clientId: string, command: RemotingCommand): Promise<RemotingCommand> {
    return this.#clients.get(clientId)!.call(command, 5000)
  }

  /** Sends a client a request that it doesn't answer. */
  tell(clientId: string, command: RemotingCommand): void {
    this.#clients.get(clientId)!.sendOneway(command)
  }

  close(): Promise<void> {
    return this.server.close()
  }

  #on(command: RemotingCommand, connection: Connection): void {
    // The body is a view of what the socket read.
    if (command.body) command.body = Buffer.from(command.body)
    this.requests.push(command)
    const scripted = this.script(command)
    if (scripted === 'silent') return
    if (scripted !== undefined) {
      if (command.isOneway) return
      connection.respond(
        command,
        responseCommand(command, scripted.code, scripted.remark, scripted.ext ?? {}, scripted.body),
      )
      return
    }
    this.#serve(command, connection)
  }

  #serve(command: RemotingCommand, connection: Connection): void {
    const ext = command.extFields ?? {}
    const offsetKey = `${ext.consumerGroup} ${ext.topic} ${ext.queueId}`
    const size = this.#queues.get(`${ext.topic} ${ext.queueId}`)?.length ?? 0
    const answer = (code: number, fields: ExtFields = {}, body?: Buffer) => {
      if (!command.isOneway)
        connection.respond(command, responseCommand(command, code, code === 0 ? undefined : 'fake', fields, body))
    }
    switch (command.code) {
      case RequestCode.HEART_BEAT:
        this.#heartbeat(command, connection)
        answer(0)
        return
      case RequestCode.UNREGISTER_CLIENT:
        this.members.get(ext.consumerGroup ?? '')?.delete(ext.clientID ?? '')
        answer(0)
        return
      case RequestCode.GET_CONSUMER_LIST_BY_GROUP: {
        const consumerIdList = [...(this.members.get(ext.consumerGroup ?? '') ?? [])]
        answer(0, {}, Buffer.from(JSON.stringify({ consumerIdList })))
        return
      }
      case RequestCode.QUERY_CONSUMER_OFFSET: {
        // A young queue begins at 0 for a group without an offset, unless the client asks otherwise.
        const isYoung = size > 0 && this.minOffset === 0 && ext.setZeroIfNotFound !== 'false'
        const offset = this.offsets.get(offsetKey) ?? (isYoung ? 0 : undefined)
        if (offset === undefined) answer(22)
        else answer(0, { offset: String(offset) })
        return
      }
      case RequestCode.UPDATE_CONSUMER_OFFSET:
        this.offsets.set(offsetKey, Number(ext.commitOffset))
        answer(0)
        return
      case RequestCode.GET_MAX_OFFSET:
        answer(0, { offset: String(size) })
        return
      case RequestCode.GET_MIN_OFFSET:
        answer(0, { offset: String(this.minOffset) })
        return
      case RequestCode.SEARCH_OFFSET_BY_TIMESTAMP:
        answer(0, { offset: String(Math.min(size, 1)) })
        return
      case RequestCode.PULL_MESSAGE:
        this.#pull(command, connection, (Number(ext.sysFlag) & 2) !== 0)
        return
      case RequestCode.SEND_MESSAGE_V2: {
        const { queueId } = decodeSendRequest(command)
        answer(0, { msgId: '7F00000100002A9F0000000000000001', queueId: String(queueId), queueOffset: '0' })
        return
      }
      case RequestCode.CONSUMER_SEND_MSG_BACK:
        if (this.redelivers) this.#redeliver(Number(ext.offset), `%RETRY%${ext.group}`)
        answer(0)
        return
      case RequestCode.LOCK_BATCH_MQ:
        answer(0, {}, this.#lock(command.body as Buffer))
        return
      case RequestCode.UNLOCK_BATCH_MQ:
        this.#unlock(command.body as Buffer)
        answer(0)
        return
      case RequestCode.CHECK_CLIENT_CONFIG:
        answer(0)
        return
      default:
        answer(3)
        return
    }
  }

  #lock(body: Buffer): Buffer {
    const { consumerGroup, clientId, mqSet } = lockBatchRequestBody.decode(body)
    const lockOKMQSet = mqSet.filter(({ topic, queueId }) => {
      const key = `${consumerGroup} ${topic} ${queueId}`
      const isExpired = this.nowMs() - (this.#lockedAtMs.get(key) ?? Number.POSITIVE_INFINITY) > 60_000
      if (!this.locks.has(key) || isExpired) this.locks.set(key, clientId)
      if (this.locks.get(key) !== clientId) return false
      this.#lockedAtMs.set(key, this.nowMs())
      return true
    })
    return lockBatchResponseBody.encode({ lockOKMQSet })
  }

  #unlock(body: Buffer): void {
    const { consumerGroup, clientId, mqSet } = lockBatchRequestBody.decode(body)
    for (const { topic, queueId } of mqSet) {
      const key = `${consumerGroup} ${topic} ${queueId}`
      if (this.locks.get(key) === clientId) this.locks.delete(key)
    }
  }

  #redeliver(physicalOffset: number, retryTopic: string): void {
    const stored = this.#stored.get(physicalOffset)!
    const properties = { RETRY_TOPIC: stored.topic, ...stored.properties }
    this.put(retryTopic, 0, { ...stored, properties, reconsumeTimes: (stored.reconsumeTimes ?? 0) + 1 })
  }

  #heartbeat(command: RemotingCommand, connection: Connection): void {
    const data = heartbeatData.decode(command.body as Buffer)
    this.#clients.set(data.clientID, connection)
    for (const { groupName } of data.consumerDataSet) {
      const ids = this.members.get(groupName) ?? new Set()
      this.members.set(groupName, ids)
      if (ids.has(data.clientID)) continue
      ids.add(data.clientID)
      this.notifyChanged(groupName)
    }
  }

  #pull(command: RemotingCommand, connection: Connection, mayHold: boolean): void {
    const ext = command.extFields ?? {}
    const key = `${ext.topic} ${ext.queueId}`
    const queue = this.#queues.get(key) ?? []
    const offset = Number(ext.queueOffset)
    // On arrival only, not when a waiting pull is woken: its offset is old by then.
    if (mayHold && (Number(ext.sysFlag) & 1) !== 0) {
      this.offsets.set(`${ext.consumerGroup} ${ext.topic} ${ext.queueId}`, Number(ext.commitOffset))
    }
    if (mayHold && offset === queue.length) {
      this.#held.set(key, [...(this.#held.get(key) ?? []), { command, connection }])
      return
    }
    const found = queue.slice(offset, offset + Number(ext.maxMsgNums))
    const isInRange = offset >= this.minOffset && offset <= queue.length
    const code = !isInRange ? 21 : found.length > 0 ? 0 : 19
    const nextBeginOffset = isInRange ? offset + found.length : offset < this.minOffset ? this.minOffset : queue.length
    const fields = {
      suggestWhichBrokerId: '0',
      nextBeginOffset: String(nextBeginOffset),
      minOffset: String(this.minOffset),
      maxOffset: String(queue.length),
    }
    const body = code === 0 ? Buffer.concat(found) : undefined
    connection.respond(command, responseCommand(command, code, undefined, fields, body))
  }
}
