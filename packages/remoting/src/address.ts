import { type Host, parseHost } from '@rocketmq-ts/model'
import type { Socket } from '@rocketmq-ts/runtime'

/** Where a connection comes from and goes to, as text `ip:port` (IPv6 in brackets) and as value. */
export interface PeerAddresses {
  /** The peer as it is shown: the source that a PROXY header names, else the socket's. */
  readonly remoteAddress: string
  /** The socket's peer; what is stored as born host. */
  readonly remoteHost: Host
  readonly localAddress: string
}

/** `ip:port`, with brackets around IPv6; an IPv4 address in IPv6 clothes is undressed. */
export function addressText(ip: string, port: number): string {
  const plain = ip.startsWith('::ffff:') && ip.includes('.') ? ip.slice(7) : ip
  const zone = plain.indexOf('%')
  const bare = zone < 0 ? plain : plain.slice(0, zone)
  return bare.includes(':') ? `[${bare}]:${port}` : `${bare}:${port}`
}

/** The addresses of a connected socket. A socket that is gone already shows as `0.0.0.0:0`. */
export function socketAddresses(socket: Socket): PeerAddresses {
  const remoteAddress = addressText(socket.remoteAddress ?? '0.0.0.0', socket.remotePort ?? 0)
  return {
    remoteAddress,
    remoteHost: parseHost(remoteAddress),
    localAddress: addressText(socket.localAddress ?? '0.0.0.0', socket.localPort ?? 0),
  }
}

/** `host:port` of a name or address as somebody wrote it: IPv6 gets its brackets when it has none. */
export function joinAddress(host: string, port: number): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]:${port}` : `${host}:${port}`
}

/** Splits `host:port`, where host is a name, an IPv4 address, or an IPv6 address with or without brackets. */
export function splitAddress(address: string): { host: string; port: number } | undefined {
  const colon = address.lastIndexOf(':')
  if (colon <= 0) return undefined
  const port = Number(address.slice(colon + 1))
  const host = address.slice(0, colon).replace(/^\[|\]$/g, '')
  if (host === '' || !Number.isInteger(port) || port < 1 || port > 65535) return undefined
  return { host, port }
}

/** True for what is an IPv4 or IPv6 address rather than a name. */
export function isIpAddress(host: string): boolean {
  return host.includes(':') || /^\d+(\.\d+){3}$/.test(host)
}
