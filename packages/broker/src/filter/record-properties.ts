import type { PropertySource } from '@rocketmq-ts/filter'
import { bodyLengthAt, findProperty, magicV2, recordLayout } from '@rocketmq-ts/model'
import { readInt32, readText } from '@rocketmq-ts/model/internal'

/** Properties as stored, looked up one by one. Refilled for each message, so that none costs an allocation. */
export class TextProperties implements PropertySource {
  text = ''

  get(name: string): string | undefined {
    return findProperty(this.text, name)
  }
}

/** The properties of a whole record; empty when its lengths don't add up. */
export function propertiesOfRecord(record: Buffer): string {
  const bodyStart = bodyLengthAt(readInt32(record, recordLayout.sysFlag)) + 4
  if (bodyStart > record.length) return ''
  const bodyEnd = bodyStart + readInt32(record, bodyStart - 4)
  const isLong = readInt32(record, recordLayout.magic) === magicV2
  if (bodyEnd < bodyStart || bodyEnd + 2 > record.length) return ''
  const topicBytes = isLong ? record.readUInt16BE(bodyEnd) : record[bodyEnd]!
  const lengthAt = bodyEnd + (isLong ? 2 : 1) + topicBytes
  if (lengthAt + 2 > record.length) return ''
  const start = lengthAt + 2
  return readText(record, start, Math.min(record.length, start + record.readUInt16BE(lengthAt)))
}
