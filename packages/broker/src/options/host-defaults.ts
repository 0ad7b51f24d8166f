import { availableParallelism, homedir, hostname, networkInterfaces } from 'node:os'

/** Processors this process may use; Java derives thread numbers from it, which are shown but mean nothing here. */
export const cpuCount: number = Math.max(1, availableParallelism())

/** The default broker name. */
export const hostName: string = hostname()

/** Where `~/store` is. */
export const homeDirectory: string = homedir()

/** The address registered when none is configured; see {@link discoverLocalAddress}. */
export const localAddress: string = discoverLocalAddress(networkInterfaces())

/**
 * The first IPv4 address that another machine can probably reach, else a 192.168 one, else the first global IPv6 address
 * in brackets, else 127.0.0.1.
 * Source: NetworkUtil#getLocalAddress, 5.3.x
 */
export function discoverLocalAddress(interfaces: ReturnType<typeof networkInterfaces>): string {
  const addresses = Object.values(interfaces).flatMap(list => list ?? [])
  const usable = addresses.filter(address => !address.internal)
  const ipv4 = usable.filter(address => address.family === 'IPv4').map(address => address.address)
  const preferred = ipv4.find(address => !address.startsWith('192.168') && !address.startsWith('0.'))
  if (preferred !== undefined) return preferred
  const last = ipv4.at(-1)
  if (last !== undefined) return last
  const ipv6 = usable.find(address => address.family === 'IPv6' && address.scopeid === 0)
  return ipv6 === undefined ? '127.0.0.1' : `[${ipv6.address}]`
}
