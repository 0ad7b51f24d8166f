import { RocketMqError } from '@rocketmq-ts/runtime'

/** A port from the command line; 0 means a free one. Throws `CONFIG_INVALID` naming the flag. */
export function portOf(flag: string, text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new RocketMqError('CONFIG_INVALID', `${flag} is "${text}"; it must be a port, 0 to 65535`)
}
