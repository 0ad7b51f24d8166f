import { type Host, parseHost } from '@rocketmq-ts/model'
import { joinAddress } from '@rocketmq-ts/remoting'
import type { Logger } from '@rocketmq-ts/runtime'
import { localAddress } from './options/host-defaults.ts'
import type { BrokerOptions } from './options.ts'

/** Where a listening broker can be reached, and what it writes into records. */
export interface ListeningAddresses {
  /** `ip:port` for clients. */
  readonly broker: string
  /** `ip:port` for slaves. */
  readonly ha: string
  /** Stored with each message, and part of its id. */
  readonly storeHost: Host
}

/** The addresses of a broker that listens on `port`. */
export function addressesOf(options: BrokerOptions, port: number, logger: Logger): ListeningAddresses {
  const haPort = options.haListenPort > 0 ? options.haListenPort : port + 1
  return {
    broker: joinAddress(options.brokerIp1, port),
    ha: joinAddress(options.brokerIp2, haPort),
    storeHost: storeHostOf(options.brokerIp1, port, logger),
  }
}

/** Records hold addresses, not names: a host name in brokerIP1 is fine for clients, but here the local address stands in. */
function storeHostOf(brokerIp: string, port: number, logger: Logger): Host {
  try {
    return parseHost(joinAddress(brokerIp, port))
  } catch {
    logger.warn(
      { brokerIP1: brokerIp, address: localAddress },
      'brokerIP1 is no IP address; message ids carry this one',
    )
    return parseHost(joinAddress(localAddress, port))
  }
}
