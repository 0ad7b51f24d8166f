/** IP addresses as bytes and as text, and which of a machine's addresses stands for it. */

/** The bytes (4 or 16) of an IP address, undefined when the text is none. A zone (`%eth0`) is dropped. */
export function parseAddress(text: string): Buffer | undefined {
  if (!text.includes(':')) return parseIpv4(text)
  const zone = text.indexOf('%')
  return parseIpv6(zone < 0 ? text : text.slice(0, zone))
}

function parseIpv4(text: string): Buffer | undefined {
  const parts = text.split('.')
  if (parts.length !== 4) return undefined
  const address = Buffer.alloc(4)
  for (let i = 0; i < 4; i++) {
    const part = parts[i]!
    if (!/^\d{1,3}$/.test(part) || Number(part) > 255) return undefined
    address[i] = Number(part)
  }
  return address
}

function parseIpv6(text: string): Buffer | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const head = parseGroups(halves[0]!, halves.length === 1)
  const tail = halves.length === 2 ? parseGroups(halves[1]!, true) : []
  if (head === undefined || tail === undefined) return undefined
  const count = head.length + tail.length
  if (halves.length === 1 ? count !== 8 : count > 7) return undefined
  const address = Buffer.alloc(16)
  head.forEach((group, i) => void address.writeUInt16BE(group, i * 2))
  tail.forEach((group, i) => void address.writeUInt16BE(group, 16 - (tail.length - i) * 2))
  return address
}

/** 16-bit groups of a run without `::`; the last may be an IPv4 address when `mayEndInIpv4`. */
function parseGroups(text: string, mayEndInIpv4: boolean): number[] | undefined {
  if (text === '') return []
  const groups: number[] = []
  const parts = text.split(':')
  for (const [i, part] of parts.entries()) {
    if (mayEndInIpv4 && i === parts.length - 1 && part.includes('.')) {
      const ipv4 = parseIpv4(part)
      if (ipv4 === undefined) return undefined
      groups.push(ipv4.readUInt16BE(0), ipv4.readUInt16BE(2))
    } else {
      if (!/^[0-9a-fA-F]{1,4}$/.test(part)) return undefined
      groups.push(Number.parseInt(part, 16))
    }
  }
  return groups
}

/** Text of 4 or 16 address bytes. IPv6 in Java's form: eight groups, no leading zeros, nothing left out. */
export function formatAddress(address: Uint8Array): string {
  if (address.length === 4) return `${address[0]}.${address[1]}.${address[2]}.${address[3]}`
  let text = ''
  for (let i = 0; i + 1 < address.length; i += 2) {
    if (i > 0) text += ':'
    text += ((address[i]! << 8) | address[i + 1]!).toString(16)
  }
  return text
}

/**
 * True for addresses that do not identify a machine on the internet. Of IPv6 only the wildcard, loopback, link-local and
 * site-local (`fec0`) addresses count, so a unique-local `fd..` address is public here.
 * Source: UtilAll#isInternalIP and #isInternalV6IP, 5.3.x.
 */
export function isPrivateAddress(address: Uint8Array): boolean {
  const first = address[0]!
  const second = address[1]!
  if (address.length === 4) {
    return (
      first === 10 ||
      first === 127 ||
      (first === 172 && second >= 16 && second <= 31) ||
      (first === 192 && second === 168)
    )
  }
  if (first === 0xfe) return (second & 0xc0) === 0x80 || (second & 0xc0) === 0xc0
  const last = address[15]!
  for (let i = 0; i < 15; i++) if (address[i] !== 0) return false
  return last === 0 || last === 1
}

/**
 * The address by which ids and client ids name this machine: the first public one, else the first private IPv4 that is
 * not loopback, else loopback; undefined when there is none. `addresses` in the order of the interfaces.
 * Source: UtilAll#getIP, 5.3.x.
 */
export function chooseLocalAddress(addresses: Iterable<Buffer>): Buffer | undefined {
  let chosen: Buffer | undefined
  for (const address of addresses) {
    if (!isPrivateAddress(address)) return address
    if (address.length === 4 && (chosen === undefined || chosen[0] === 127)) chosen = address
  }
  return chosen
}
