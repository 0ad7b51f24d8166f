import { encodeOffsetMessageId, type Host } from '@rocketmq-ts/model'
import {
  CURRENT_VERSION,
  commandFlag,
  type ExtFields,
  encodeFrame,
  RemotingCommand,
  SendResponseWriter,
  serializeTypes,
} from '@rocketmq-ts/protocol'
import type { Connection } from '@rocketmq-ts/remoting'
import type { PutStatus } from '@rocketmq-ts/store'
import type { AckRing } from './ack-ring.ts'
import type { SendRefusal } from './send-targets.ts'

/** Read live. */
export interface SendAnswerOptions {
  readonly regionId: string
  readonly traceOn: boolean
}

/** Most bytes that a connection's outgoing memory takes in one piece. */
const RESERVE_MAX_BYTES = 64 * 1024

/**
 * Writes the answers to sends straight into their connections' outgoing bytes. JSON in any case, as a Java server does:
 * it doesn't mirror the form of the request. Budget per answer to a single message: no allocation.
 */
export class SendAnswers {
  readonly #storeHost: Host
  readonly #options: SendAnswerOptions
  readonly #refusalOf: (status: PutStatus) => SendRefusal
  #writer: SendResponseWriter
  #region: string
  #traceOn: boolean

  constructor(storeHost: Host, options: SendAnswerOptions, refusalOf: (status: PutStatus) => SendRefusal) {
    this.#storeHost = storeHost
    this.#options = options
    this.#refusalOf = refusalOf
    this.#region = options.regionId
    this.#traceOn = options.traceOn
    this.#writer = this.#newWriter()
  }

  /** Entry `index` of `ring` is stored. `code`: 0, or 10 to 12 when it isn't yet as safe as asked. */
  stored(ring: AckRing, index: number, code: number): void {
    const connection = ring.connections[index] as Connection
    if (!isWritable(connection)) return
    if (this.#region !== this.#options.regionId || this.#traceOn !== this.#options.traceOn) {
      this.#region = this.#options.regionId
      this.#traceOn = this.#options.traceOn
      this.#writer = this.#newWriter()
    }
    const transactionId = ring.transactionIds[index]
    const maxBytes = this.#writer.maxBytes(transactionId)
    if (ring.batchIds[index] !== undefined || maxBytes > RESERVE_MAX_BYTES) {
      this.#writeGeneric(connection, ring, index, code)
      return
    }
    const target = connection.reserve(maxBytes)
    const end = this.#writer.write(
      target,
      connection.reservedOffset,
      serializeTypes.json,
      ring.opaques[index] as number,
      code,
      ring.queueIds[index] as number,
      ring.queueOffsets[index] as number,
      ring.physicalOffsets[index] as number,
      transactionId,
    )
    connection.commit(end)
  }

  /** Entry `index` of `ring` isn't stored after all. */
  failed(ring: AckRing, index: number, status: PutStatus): void {
    const { code, remark } = this.#refusalOf(status)
    this.#write(
      ring.connections[index] as Connection,
      ring.opaques[index] as number,
      code,
      remark,
      this.#commonFields(),
    )
  }

  #writeGeneric(connection: Connection, ring: AckRing, index: number, code: number): void {
    const fields = this.#commonFields()
    const physicalOffset = ring.physicalOffsets[index] as number
    fields.msgId = ring.batchIds[index] ?? encodeOffsetMessageId(this.#storeHost, physicalOffset)
    fields.queueId = String(ring.queueIds[index])
    fields.queueOffset = String(ring.queueOffsets[index])
    const transactionId = ring.transactionIds[index]
    if (transactionId !== undefined) fields.transactionId = transactionId
    this.#write(connection, ring.opaques[index] as number, code, undefined, fields)
  }

  #write(connection: Connection, opaque: number, code: number, remark: string | undefined, fields: ExtFields): void {
    const { response } = commandFlag
    const form = serializeTypes.json
    const command = new RemotingCommand(
      code,
      'JAVA',
      CURRENT_VERSION,
      opaque,
      response,
      remark,
      fields,
      undefined,
      form,
    )
    connection.writeFrame(encodeFrame(command))
  }

  #commonFields(): ExtFields {
    return { TRACE_ON: String(this.#options.traceOn), MSG_REGION: this.#options.regionId }
  }

  #newWriter(): SendResponseWriter {
    return new SendResponseWriter({ storeHost: this.#storeHost, region: this.#region, traceOn: this.#traceOn })
  }
}

function isWritable(connection: Connection): boolean {
  return connection.state === 'open' || connection.state === 'congested'
}
