import { RocketMqError } from '@rocketmq-ts/runtime'
import type { ClientInstance } from '../client-instance.ts'

/**
 * A consumer without any name server would wait for ever in silence; one whose name servers don't answer tries again.
 * Throws `NO_NAME_SERVER`.
 */
export function assertNameServers(instance: ClientInstance): void {
  if (instance.nameServers.addresses.length > 0) return
  throw new RocketMqError('NO_NAME_SERVER', 'no name server is configured: give `nameServers`, or set NAMESRV_ADDR')
}
