import { RocketMqError } from '@rocketmq-ts/runtime'
import { RemotingCommand, serializeTypes } from './command.ts'
import { checkedEnd } from './ext-fields.ts'
import { languageOfOrdinal, ordinalOfLanguage } from './language.ts'

/**
 * The ROCKETMQ header form, big-endian:
 *
 * ```text
 * [code:2][language:1][version:2][opaque:4][flag:4][remark:4+n][extLength:4] then per field [name:2+n][value:4+n]
 * ```
 *
 * A text of length 0 reads as absent. The code has 16 bits, so the POP family can't travel in this form.
 */
export const binaryHeaderMinBytes = 21

/** Whether `code` survives the 16 bits that this form has for it. */
export function fitsBinaryHeader(code: number): boolean {
  return code >= -32768 && code <= 32767
}

/** Length of {@link writeBinaryHeader}'s output. */
export function binaryHeaderLength(command: RemotingCommand): number {
  let length = binaryHeaderMinBytes
  if (command.remark !== undefined) length += Buffer.byteLength(command.remark)
  const extFields = command.extFields
  if (extFields !== undefined) {
    for (const name of Object.keys(extFields)) {
      length += 6 + Buffer.byteLength(name) + Buffer.byteLength(extFields[name]!)
    }
  }
  return length
}

/** Writes the header at `start` and returns the offset after it. Fields go in the order of `extFields`. */
export function writeBinaryHeader(command: RemotingCommand, target: Buffer, start: number): number {
  let at = target.writeInt16BE(command.code, start)
  at = target.writeInt8(ordinalOfLanguage(command.language), at)
  at = target.writeInt16BE(command.version, at)
  at = target.writeInt32BE(command.opaque, at)
  at = target.writeInt32BE(command.flag, at)
  const remarkBytes = command.remark === undefined ? 0 : target.write(command.remark, at + 4)
  at = target.writeInt32BE(remarkBytes, at) + remarkBytes
  const extStart = at + 4
  let end = extStart
  const extFields = command.extFields
  if (extFields !== undefined) {
    for (const name of Object.keys(extFields)) {
      const nameBytes = target.write(name, end + 2)
      target.writeUInt16BE(nameBytes, end)
      end += 2 + nameBytes
      const valueBytes = target.write(extFields[name]!, end + 4)
      target.writeInt32BE(valueBytes, end)
      end += 4 + valueBytes
    }
  }
  target.writeInt32BE(end - extStart, at)
  return end
}

/** Reads a header. Bytes after the ext section are ignored, as Java does. Throws `HEADER_INVALID`. */
export function decodeBinaryHeader(source: Buffer, start: number, end: number): RemotingCommand {
  if (end - start < binaryHeaderMinBytes) {
    throw new RocketMqError('HEADER_INVALID', `a binary header of ${end - start} bytes is too short`)
  }
  const remarkStart = start + 17
  const remarkEnd = checkedEnd(remarkStart, source.readInt32BE(start + 13), end - 4)
  const extStart = remarkEnd + 4
  const extEnd = checkedEnd(extStart, source.readInt32BE(remarkEnd), end)
  const command = new RemotingCommand(
    source.readInt16BE(start),
    languageOfOrdinal(source.readInt8(start + 2)),
    source.readInt16BE(start + 3),
    source.readInt32BE(start + 5),
    source.readInt32BE(start + 9),
    remarkEnd === remarkStart ? undefined : source.toString('utf8', remarkStart, remarkEnd),
    undefined,
    undefined,
    serializeTypes.rocketmq,
  )
  if (extEnd !== extStart) {
    command.rawExt = source
    command.rawExtStart = extStart
    command.rawExtEnd = extEnd
  }
  return command
}
