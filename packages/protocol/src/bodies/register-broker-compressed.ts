import { deflateSync, inflateSync } from 'node:zlib'
import { type TopicConfig, topicConfigText } from '@rocketmq-ts/model'
import { readInt32, writeInt32 } from '@rocketmq-ts/model/internal'
import { RocketMqError } from '@rocketmq-ts/runtime'
import { parseLenient, stringifyFastjson } from '../lenient-json.ts'
import { dataVersionBody, nameList } from './common.ts'
import { jsonBody } from './json-body.ts'
import type { RegisterBrokerBody } from './register-broker.ts'
import { type TopicQueueMappingInfo, topicQueueMappingInfoSchema } from './static-topic.ts'
import { topicConfigSchema } from './topic-config.ts'

/**
 * The compressed body of REGISTER_BROKER: zlib of
 *
 * | int32 n, n bytes: data version as JSON | int32 topics | per topic int32 n, n bytes text | int32 n, n bytes: filter
 * servers as JSON | int32 static topics | per static topic int32 n, n bytes: its mapping as JSON |
 *
 * The last two parts exist from version 413 on. A topic's system flag and order, and mapping details, are lost.
 */

/** From this version of the sender on the body has the static topics. */
const MAPPING_VERSION = 413

/** Most bytes that a body may have after decompression. */
export const REGISTRATION_LIMIT_BYTES = 64 * 1024 * 1024

const mappingInfoBody = jsonBody(topicQueueMappingInfoSchema)
const noVersion = { stateVersion: 0, timestamp: 0, counter: 0 }

/** `version` is the sender's own. */
export function encodeCompressedRegisterBrokerBody(body: RegisterBrokerBody, version: number): Buffer {
  const wrapper = body.topicConfigSerializeWrapper
  const parts: Buffer[] = []
  const addInt = (value: number) => {
    const bytes = Buffer.alloc(4)
    writeInt32(bytes, value, 0)
    parts.push(bytes)
  }
  const addText = (text: string) => {
    const bytes = Buffer.from(text, 'utf8')
    addInt(bytes.length)
    parts.push(bytes)
  }
  addText(dataVersionBody.stringify(wrapper.dataVersion))
  addInt(wrapper.topicConfigTable.size)
  for (const topic of wrapper.topicConfigTable.values()) addText(topicConfigText(topic))
  addText(stringifyFastjson(body.filterServerList))
  if (version >= MAPPING_VERSION) {
    addInt(wrapper.topicQueueMappingInfoMap.size)
    for (const info of wrapper.topicQueueMappingInfoMap.values()) addText(mappingInfoBody.stringify(info))
  }
  return deflateSync(Buffer.concat(parts))
}

/** `version` is the sender's. Throws BODY_INVALID, also when the body decompresses to more than `limitBytes`. */
export function decodeCompressedRegisterBrokerBody(
  bytes: Buffer,
  version: number,
  limitBytes: number = REGISTRATION_LIMIT_BYTES,
): RegisterBrokerBody {
  const reader = new PartReader(inflate(bytes, limitBytes))
  const dataVersion = dataVersionBody.parse(reader.text())
  const topicConfigTable = new Map<string, TopicConfig>()
  for (let count = reader.count(); count > 0; count--) {
    const topic = topicOfText(reader.text())
    topicConfigTable.set(topic.topicName, topic)
  }
  const filterServerList = nameList.parse(reader.text())
  const topicQueueMappingInfoMap = new Map<string, TopicQueueMappingInfo>()
  if (version >= MAPPING_VERSION) {
    for (let count = reader.count(); count > 0; count--) {
      const info = mappingInfoBody.parse(reader.text())
      topicQueueMappingInfoMap.set(info.topic, info)
    }
  }
  return {
    topicConfigSerializeWrapper: {
      dataVersion,
      topicConfigTable,
      topicQueueMappingInfoMap,
      topicQueueMappingDetailMap: new Map(),
      mappingDataVersion: noVersion,
    },
    filterServerList,
  }
}

function inflate(bytes: Buffer, limitBytes: number): Buffer {
  try {
    return inflateSync(bytes, { maxOutputLength: limitBytes })
  } catch (cause) {
    throw new RocketMqError('BODY_INVALID', `A compressed registration can't be read: ${(cause as Error).message}.`, {
      cause,
    })
  }
}

class PartReader {
  private readonly bytes: Buffer
  private at = 0

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** A count of parts; each takes at least its length field. */
  count(): number {
    const count = this.int()
    if (count < 0 || count * 4 > this.bytes.length - this.at) throw this.invalid(`${count} parts`)
    return count
  }

  text(): string {
    const length = this.int()
    if (length < 0 || length > this.bytes.length - this.at) throw this.invalid(`a part of ${length} bytes`)
    this.at += length
    return this.bytes.toString('utf8', this.at - length, this.at)
  }

  private int(): number {
    if (this.bytes.length - this.at < 4) throw this.invalid('the end')
    this.at += 4
    return readInt32(this.bytes, this.at - 4)
  }

  private invalid(what: string): RocketMqError {
    return new RocketMqError('BODY_INVALID', `Registration at byte ${this.at}: ${what} can't be.`)
  }
}

/** Reads `name reads writes perm filterType attributes`; attributes that can't be read are dropped, as Java does. */
function topicOfText(text: string): TopicConfig {
  const [topicName, readQueueNums, writeQueueNums, perm, topicFilterType, attributes] = text.split(' ')
  if (topicFilterType === undefined) {
    throw new RocketMqError(
      'BODY_INVALID',
      `A registered topic has too few parts: ${JSON.stringify(text.slice(0, 200))}.`,
    )
  }
  const body = {
    topicName,
    readQueueNums,
    writeQueueNums,
    perm,
    topicFilterType,
    attributes: readAttributes(attributes),
  }
  return topicBody.parse(stringifyFastjson(body))
}

const topicBody = jsonBody(topicConfigSchema)

function readAttributes(text: string | undefined): unknown {
  if (text === undefined) return {}
  try {
    const value = parseLenient(text)
    return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype ? value : {}
  } catch {
    return {}
  }
}
