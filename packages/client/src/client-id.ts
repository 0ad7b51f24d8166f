import { randomBytes } from 'node:crypto'
import { networkInterfaces } from 'node:os'
import { parseHost, UniqueIdGenerator } from '@rocketmq-ts/model'
import type { Clock } from '@rocketmq-ts/runtime'

/**
 * Unique to this copy of the module, so to each process and each worker thread: two containers with the same bridge
 * address and process id 1, or the workers of one cluster, never share a client id (case R13).
 */
const processInstanceName = `${process.pid}#${randomBytes(6).readUIntBE(0, 6)}`

/** Four random bytes, constant in this process or worker thread: the middle of its message ids. */
const idDiscriminator = randomBytes(4).readUInt32BE(0)

const idGenerators = new WeakMap<Clock, Map<string, UniqueIdGenerator>>()

/**
 * The generator of message ids for an address. All producers of this process share it: two of them would make the same ids,
 * which differ by their counter only.
 */
export function messageIdsOf(clock: Clock, clientAddress: string): UniqueIdGenerator {
  let byAddress = idGenerators.get(clock)
  if (byAddress === undefined) {
    byAddress = new Map()
    idGenerators.set(clock, byAddress)
  }
  let generator = byAddress.get(clientAddress)
  if (generator === undefined) {
    const address = addressBytes(clientAddress)
    generator = new UniqueIdGenerator(clock, { address, processId: process.pid, discriminator: idDiscriminator })
    byAddress.set(clientAddress, generator)
  }
  return generator
}

/** The bytes of an address; those of 127.0.0.1 for a host name, which ids have no place for. */
function addressBytes(address: string): Buffer {
  try {
    return parseHost(address.includes(':') ? `[${address}]:0` : `${address}:0`).address
  } catch {
    return Buffer.from([127, 0, 0, 1])
  }
}

/** `pid#number`, the default second half of a client id. */
export function defaultInstanceName(): string {
  return processInstanceName
}

/**
 * An address of this host by which others may know it: the first public or private IPv4 that is not loopback or
 * link-local, else such an IPv6, else 127.0.0.1.
 */
export function localAddress(interfaces = networkInterfaces()): string {
  let ipv6: string | undefined
  for (const addresses of Object.values(interfaces)) {
    for (const { address, family, internal } of addresses ?? []) {
      if (internal) continue
      if (family === 'IPv4' && !address.startsWith('169.254.')) return address
      if (family === 'IPv6' && !address.toLowerCase().startsWith('fe80')) ipv6 ??= address
    }
  }
  return ipv6 ?? '127.0.0.1'
}
