/** Requests built once and patched per use: the opaque has a fixed width of nine digits. */

export const OPAQUE_BASE = 100_000_000
/** Opaques cycle through this many values; more than any load keeps in flight. */
export const OPAQUE_SPAN = 1 << 17

function frame(header: object, body: Buffer): Buffer {
  const head = Buffer.from(JSON.stringify(header))
  const out = Buffer.alloc(8 + head.length + body.length)
  out.writeInt32BE(4 + head.length + body.length, 0)
  out.writeInt32BE(head.length, 4)
  head.copy(out, 8)
  body.copy(out, 8 + head.length)
  return out
}

/** A request of which only the opaque (and for a pull the offset) changes from use to use. */
export interface Template {
  readonly bytes: Buffer
  readonly opaqueAt: number
}

function template(bytes: Buffer): Template {
  return { bytes, opaqueAt: bytes.indexOf(`"opaque":${OPAQUE_BASE}`) + 9 }
}

export interface SendTemplateOptions {
  readonly topic: string
  readonly queueId: number
  readonly body: Buffer
}

/** SEND_MESSAGE_V2 as the Java producer writes it: UNIQ_KEY, WAIT and a tag in the properties. */
export function sendTemplate({ topic, queueId, body }: SendTemplateOptions): Template {
  const properties = 'UNIQ_KEY\u00017F0000010A5B2437C6DC1234567890AB\u0002WAIT\u0001true\u0002TAGS\u0001a'
  const extFields = {
    a: 'bench-producer',
    b: topic,
    c: 'TBW102',
    d: '4',
    e: String(queueId),
    f: '0',
    g: '1796040000000',
    h: '0',
    i: properties,
    j: '0',
    k: 'false',
    m: 'false',
    n: 'broker-a',
  }
  const header = {
    code: 310,
    extFields,
    flag: 0,
    language: 'JAVA',
    opaque: OPAQUE_BASE,
    serializeTypeCurrentRPC: 'JSON',
    version: 479,
  }
  return template(frame(header, body))
}

export function patchOpaque(target: Buffer, opaqueAt: number, opaque: number): void {
  let value = opaque
  for (let digit = 8; digit >= 0; digit--) {
    target[opaqueAt + digit] = 48 + (value % 10)
    value = (value / 10) | 0
  }
}

export interface PullOptions {
  readonly topic: string
  readonly group: string
  readonly queueId: number
  readonly offset: number
  readonly maxCount: number
  readonly opaque: number
  readonly suspendMs?: number
}

/** PULL_MESSAGE with the subscription in the request, so that no heart beat is needed. */
export function pullFrame(options: PullOptions): Buffer {
  const extFields = {
    consumerGroup: options.group,
    topic: options.topic,
    queueId: String(options.queueId),
    queueOffset: String(options.offset),
    maxMsgNums: String(options.maxCount),
    sysFlag: options.suspendMs ? '6' : '4',
    commitOffset: '0',
    suspendTimeoutMillis: String(options.suspendMs ?? 0),
    subscription: '*',
    subVersion: '0',
    expressionType: 'TAG',
  }
  const header = {
    code: 11,
    extFields,
    flag: 0,
    language: 'JAVA',
    opaque: options.opaque,
    serializeTypeCurrentRPC: 'JSON',
    version: 479,
  }
  return frame(header, Buffer.alloc(0))
}

/** UPDATE_AND_CREATE_TOPIC, so that a measurement starts with the queues it names. */
export function createTopicFrame(topic: string, queueCount: number, opaque: number): Buffer {
  const extFields = {
    topic,
    defaultTopic: 'TBW102',
    readQueueNums: String(queueCount),
    writeQueueNums: String(queueCount),
    perm: '6',
    topicFilterType: 'SINGLE_TAG',
    topicSysFlag: '0',
    order: 'false',
  }
  return frame(
    { code: 17, extFields, flag: 0, language: 'JAVA', opaque, serializeTypeCurrentRPC: 'JSON', version: 479 },
    Buffer.alloc(0),
  )
}

/** UPDATE_AND_CREATE_SUBSCRIPTIONGROUP. */
export function createGroupFrame(group: string, opaque: number): Buffer {
  const body = Buffer.from(
    JSON.stringify({ groupName: group, consumeEnable: true, retryQueueNums: 1, retryMaxTimes: 16 }),
  )
  return frame(
    { code: 200, extFields: {}, flag: 0, language: 'JAVA', opaque, serializeTypeCurrentRPC: 'JSON', version: 479 },
    body,
  )
}
