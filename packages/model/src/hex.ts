import { RocketMqError } from '@rocketmq-ts/runtime'

/** Upper-case hex, as RocketMQ writes all its ids. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex').toUpperCase()
}

/** Reads hex of either case. Throws INVALID_ARGUMENT, naming `what`, when the text is not hex of whole bytes. */
export function fromHex(text: string, what: string): Buffer {
  const bytes = Buffer.from(text, 'hex')
  if (bytes.length * 2 !== text.length) {
    throw new RocketMqError('INVALID_ARGUMENT', `${what} is not hexadecimal: ${JSON.stringify(text.slice(0, 80))}.`)
  }
  return bytes
}
