import { pullMessage } from '../apis/pull-message.ts'
import type { RemotingCommand } from '../command.ts'
import { decodeHeader } from '../define.ts'
import { fieldCursor } from './field-cursor.ts'

/** What a pull request says. Source: PullMessageRequestHeader, 5.3.x. */
export interface PullMessageHeader {
  consumerGroup: string
  topic: string
  queueId: number
  queueOffset: number
  maxMsgNums: number
  sysFlag: number
  commitOffset: number
  suspendTimeoutMillis: number
  subscription: string | undefined
  subVersion: number
  expressionType: string | undefined
  maxMsgBytes: number | undefined
  requestSource: number | undefined
  proxyFrowardClientId: string | undefined
  brokerName: string | undefined
}

/** The nine mandatory fields, one bit each. */
const MANDATORY_BITS = 0x1ff

/** The header of codes 11 and 361. Throws `HEADER_INVALID` naming the field. */
export function decodePullRequest(command: RemotingCommand): PullMessageHeader {
  return scanPullRequest(command) ?? decodePullRequestMap(command)
}

function decodePullRequestMap(command: RemotingCommand): PullMessageHeader {
  const header = decodeHeader(pullMessage.request, command.extFields)
  return {
    consumerGroup: header.consumerGroup,
    topic: header.topic,
    queueId: header.queueId,
    queueOffset: header.queueOffset,
    maxMsgNums: header.maxMsgNums,
    sysFlag: header.sysFlag,
    commitOffset: header.commitOffset,
    suspendTimeoutMillis: header.suspendTimeoutMillis,
    subscription: header.subscription,
    subVersion: header.subVersion,
    expressionType: header.expressionType,
    maxMsgBytes: header.maxMsgBytes,
    requestSource: header.requestSource,
    proxyFrowardClientId: header.proxyFrowardClientId,
    brokerName: header.bname,
  }
}

/** Undefined when only the map can tell what the fields say. */
function scanPullRequest(command: RemotingCommand): PullMessageHeader | undefined {
  const cursor = fieldCursor
  if (!cursor.open(command)) return undefined
  const header: PullMessageHeader = {
    consumerGroup: '',
    topic: '',
    queueId: 0,
    queueOffset: 0,
    maxMsgNums: 0,
    sysFlag: 0,
    commitOffset: 0,
    suspendTimeoutMillis: 0,
    subscription: undefined,
    subVersion: 0,
    expressionType: undefined,
    maxMsgBytes: undefined,
    requestSource: undefined,
    proxyFrowardClientId: undefined,
    brokerName: undefined,
  }
  let seen = 0
  while (cursor.next()) seen |= takeField(header)
  return cursor.failed || seen !== MANDATORY_BITS ? undefined : header
}

/** Puts the cursor's field into `header`; returns the bit of a mandatory one, else 0. */
function takeField(header: PullMessageHeader): number {
  const cursor = fieldCursor
  if (cursor.isNamed('consumerGroup')) {
    header.consumerGroup = cursor.name()
    return 1
  }
  if (cursor.isNamed('topic')) {
    header.topic = cursor.name()
    return 2
  }
  if (cursor.isNamed('queueId')) {
    header.queueId = cursor.int32()
    return 4
  }
  if (cursor.isNamed('queueOffset')) {
    header.queueOffset = cursor.int64()
    return 8
  }
  if (cursor.isNamed('maxMsgNums')) {
    header.maxMsgNums = cursor.int32()
    return 16
  }
  if (cursor.isNamed('sysFlag')) {
    header.sysFlag = cursor.int32()
    return 32
  }
  if (cursor.isNamed('commitOffset')) {
    header.commitOffset = cursor.int64()
    return 64
  }
  if (cursor.isNamed('suspendTimeoutMillis')) {
    header.suspendTimeoutMillis = cursor.int64()
    return 128
  }
  if (cursor.isNamed('subVersion')) {
    header.subVersion = cursor.int64()
    return 256
  }
  takeOptionalField(header)
  return 0
}

function takeOptionalField(header: PullMessageHeader): void {
  const cursor = fieldCursor
  if (cursor.isNamed('subscription')) header.subscription = cursor.name()
  else if (cursor.isNamed('expressionType')) header.expressionType = cursor.name()
  else if (cursor.isNamed('maxMsgBytes')) header.maxMsgBytes = cursor.int32()
  else if (cursor.isNamed('requestSource')) header.requestSource = cursor.int32()
  else if (cursor.isNamed('proxyFrowardClientId')) header.proxyFrowardClientId = cursor.text()
  else if (cursor.isNamed('bname')) header.brokerName = cursor.name()
}
