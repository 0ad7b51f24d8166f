import {
  CURRENT_VERSION,
  commandFlag,
  type ExtFields,
  encodeFrame,
  PULL_RESPONSE_HEAD_MAX_BYTES,
  type PullResponseHead,
  RemotingCommand,
  ResponseCode,
  serializeTypes,
  writePullResponseHead,
} from '@rocketmq-ts/protocol'
import type { Connection } from '@rocketmq-ts/remoting'
import type { GetResult } from '@rocketmq-ts/store'
import type { PullRefusal } from './pull-checks.ts'
import type { PullRequest } from './pull-request.ts'

/** An answer up to this size is copied into its connection's outgoing memory; a larger one goes out by reference. */
const COPY_MAX_BYTES = 32 * 1024

/**
 * Writes the answers to pulls. `head` is refilled for each; JSON in any case, as a Java server does. Budget per answer with
 * messages: one copy of a small body and no allocation, or no copy of a large one.
 */
export class PullAnswers {
  readonly head: PullResponseHead = {
    serializeType: serializeTypes.json,
    opaque: 0,
    code: 0,
    remark: '',
    suggestWhichBrokerId: 0,
    nextBeginOffset: 0,
    minOffset: 0,
    maxOffset: 0,
    topicSysFlag: 0,
    groupSysFlag: 0,
  }

  /** Answers with messages. */
  found(pull: PullRequest, result: GetResult): void {
    const { connection } = pull
    const { parts, deferred, bytes } = result
    if (!isWritable(connection)) return
    this.head.opaque = pull.opaque
    if (deferred === undefined && bytes > COPY_MAX_BYTES) {
      const head = Buffer.allocUnsafe(PULL_RESPONSE_HEAD_MAX_BYTES)
      connection.writeParts(head.subarray(0, writePullResponseHead(head, 0, this.head, bytes)), parts)
      return
    }
    const target = connection.reserve(PULL_RESPONSE_HEAD_MAX_BYTES + bytes)
    let at = writePullResponseHead(target, connection.reservedOffset, this.head, bytes)
    if (deferred !== undefined) at = deferred.copyTo(target, at)
    else for (const part of parts) at += part.copy(target, at)
    connection.commit(at)
  }

  /** Answers without messages. */
  empty(pull: PullRequest): void {
    const { connection } = pull
    if (!isWritable(connection)) return
    this.head.opaque = pull.opaque
    const target = connection.reserve(PULL_RESPONSE_HEAD_MAX_BYTES)
    connection.commit(writePullResponseHead(target, connection.reservedOffset, this.head, 0))
  }

  refuse(pull: PullRequest, refusal: PullRefusal): void {
    const { code, remark, forbiddenType } = refusal
    write(pull, code, remark, forbiddenType === undefined ? {} : { forbiddenType: String(forbiddenType) })
  }

  busy(pull: PullRequest, remark: string): void {
    write(pull, ResponseCode.SYSTEM_BUSY, remark, undefined)
  }

  failed(pull: PullRequest, error: unknown): void {
    write(pull, ResponseCode.SYSTEM_ERROR, error instanceof Error ? error.message : String(error), undefined)
  }
}

function write(pull: PullRequest, code: number, remark: string, fields: ExtFields | undefined): void {
  const { response } = commandFlag
  const form = serializeTypes.json
  const { opaque } = pull
  const command = new RemotingCommand(code, 'JAVA', CURRENT_VERSION, opaque, response, remark, fields, undefined, form)
  pull.connection.writeFrame(encodeFrame(command))
}

function isWritable(connection: Connection): boolean {
  return connection.state === 'open' || connection.state === 'congested'
}
