import { RocketMqError } from '@rocketmq-ts/runtime'
import { formatAddress, parseAddress } from './ip-address.ts'

/** An IP address and a port, as messages and ids carry them. */
export interface Host {
  /** 4 or 16 bytes. */
  readonly address: Buffer
  readonly port: number
}

/**
 * Reads `1.2.3.4:5` or `[::1]:5` (also `::1:5`, the last part being the port). Host names are not resolved.
 * Throws INVALID_ARGUMENT.
 */
export function parseHost(text: string): Host {
  const colon = text.lastIndexOf(':')
  const portText = text.slice(colon + 1)
  let addressText = text.slice(0, Math.max(colon, 0))
  if (addressText.startsWith('[') && addressText.endsWith(']')) addressText = addressText.slice(1, -1)
  const address = parseAddress(addressText)
  const port = /^\d{1,5}$/.test(portText) ? Number(portText) : -1
  if (colon < 0 || address === undefined || port < 0 || port > 65535) {
    throw new RocketMqError('INVALID_ARGUMENT', `Not an IP address with port: ${JSON.stringify(text.slice(0, 120))}.`)
  }
  return { address, port }
}

/** `1.2.3.4:5` or `[2001:db8:0:0:0:0:1:2]:5` (IPv6 in Java's long form). */
export function formatHost(host: Host): string {
  const address = formatAddress(host.address)
  return host.address.length === 16 ? `[${address}]:${host.port}` : `${address}:${host.port}`
}

/** True when both address bytes and port are equal. */
export function hostsEqual(a: Host, b: Host): boolean {
  return a.port === b.port && a.address.equals(b.address)
}
