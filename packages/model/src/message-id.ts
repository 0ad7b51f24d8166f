import { RocketMqError } from '@rocketmq-ts/runtime'
import { fromHex, toHex } from './hex.ts'
import type { Host } from './host.ts'
import { readInt32, readInt64, writeInt32, writeInt64 } from './int64.ts'

/**
 * The id that names a stored message by its place: hex of the store's address, port (int32) and physical offset (int64);
 * 32 or 56 characters.
 */
export function encodeOffsetMessageId(host: Host, physicalOffset: number): string {
  const length = host.address.length
  const bytes = Buffer.allocUnsafe(length + 12)
  host.address.copy(bytes)
  writeInt32(bytes, host.port, length)
  writeInt64(bytes, physicalOffset, length + 4)
  return toHex(bytes)
}

/** What an offset message id says. Throws INVALID_ARGUMENT when it is none. */
export function decodeOffsetMessageId(id: string): { host: Host; physicalOffset: number } {
  if (id.length !== 32 && id.length !== 56) {
    throw new RocketMqError(
      'INVALID_ARGUMENT',
      `An offset message id has 32 or 56 characters, this one has ${id.length}.`,
    )
  }
  const bytes = fromHex(id, 'The offset message id')
  const length = bytes.length - 12
  return {
    host: { address: bytes.subarray(0, length), port: readInt32(bytes, length) },
    physicalOffset: readInt64(bytes, length + 4),
  }
}
