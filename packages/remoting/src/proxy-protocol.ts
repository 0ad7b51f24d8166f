import { addressText } from './address.ts'

/**
 * The header that a load balancer puts before the first byte of a connection, to tell who is behind it.
 *
 * ```text
 * v1   PROXY TCP4 203.0.113.7 10.0.0.1 56324 10911\r\n                    at most 107 bytes; also TCP6, UNKNOWN
 * v2   [signature:12][version 2, command:1][family, protocol:1][length:2][addresses][TLV …]
 *      TLV: [type:1][length:2][value]
 * ```
 *
 * https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt
 */
export interface ProxyHeader {
  /** Bytes that the header takes; what follows is the connection's own. */
  readonly length: number
  /** Undefined when the header names none (UNKNOWN, LOCAL, or a family other than IP). */
  readonly source: ProxyEndpoint | undefined
  readonly destination: ProxyEndpoint | undefined
  /** In the order of the header; v1 has none. */
  readonly tlvs: readonly { readonly type: number; readonly value: Buffer }[]
}

/** One end, as the header spells it. */
export interface ProxyEndpoint {
  readonly ip: string
  readonly port: number
}

/** `none`: the bytes are something else. `more`: they may become a header. `invalid`: a header that nobody can read. */
export type ProxyDetection = ProxyHeader | 'none' | 'more' | 'invalid'

const v1Prefix = Buffer.from('PROXY ')
const v2Signature = Buffer.from([0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a])
const V1_MAX_BYTES = 107
const V2_FIXED_BYTES = 16
/** No balancer sends more; the format alone would allow 64 KiB of TLVs. */
const V2_MAX_BYTES = 4_096

/** Looks whether `bytes`, the first of a connection, begin with a PROXY header. */
export function detectProxyHeader(bytes: Buffer): ProxyDetection {
  if (bytes.length === 0) return 'more'
  if (startsLike(bytes, v2Signature)) return bytes.length < v2Signature.length ? 'more' : parseV2(bytes)
  if (startsLike(bytes, v1Prefix)) return bytes.length < v1Prefix.length ? 'more' : parseV1(bytes)
  return 'none'
}

/** True when the shorter of the two is a prefix of the other. */
function startsLike(bytes: Buffer, prefix: Buffer): boolean {
  const length = Math.min(bytes.length, prefix.length)
  return bytes.compare(prefix, 0, length, 0, length) === 0
}

function parseV1(bytes: Buffer): ProxyDetection {
  const end = bytes.indexOf('\r\n')
  if (end < 0) return bytes.length < V1_MAX_BYTES ? 'more' : 'invalid'
  if (end + 2 > V1_MAX_BYTES) return 'invalid'
  const [, protocol, sourceIp, destinationIp, sourcePort, destinationPort] = bytes.toString('latin1', 0, end).split(' ')
  const none = { length: end + 2, source: undefined, destination: undefined, tlvs: [] }
  if (protocol === 'UNKNOWN') return none
  if (protocol !== 'TCP4' && protocol !== 'TCP6') return 'invalid'
  const source = endpoint(sourceIp, sourcePort)
  const destination = endpoint(destinationIp, destinationPort)
  return source === undefined || destination === undefined ? 'invalid' : { ...none, source, destination }
}

function endpoint(ip: string | undefined, portText: string | undefined): ProxyEndpoint | undefined {
  if (ip === undefined || !/^[0-9a-fA-F:.]{2,45}$/.test(ip)) return undefined
  if (portText === undefined || !/^\d{1,5}$/.test(portText)) return undefined
  const port = Number(portText)
  return port > 65535 ? undefined : { ip, port }
}

function parseV2(bytes: Buffer): ProxyDetection {
  if (bytes.length < V2_FIXED_BYTES) return 'more'
  const versionAndCommand = bytes.readUInt8(12)
  const command = versionAndCommand & 0x0f
  if (versionAndCommand >>> 4 !== 2 || command > 1) return 'invalid'
  const length = V2_FIXED_BYTES + bytes.readUInt16BE(14)
  if (length > V2_MAX_BYTES) return 'invalid'
  if (bytes.length < length) return 'more'
  const family = bytes.readUInt8(13) >>> 4
  const ipBytes = { 1: 4, 2: 16 }[family] ?? 0
  const addressBytes = family === 3 ? 216 : ipBytes === 0 ? 0 : 2 * ipBytes + 4
  if (V2_FIXED_BYTES + addressBytes > length) return 'invalid'
  const tlvs = parseTlvs(bytes.subarray(V2_FIXED_BYTES + addressBytes, length))
  if (tlvs === undefined) return 'invalid'
  if (command === 0 || ipBytes === 0) return { length, source: undefined, destination: undefined, tlvs }
  const portsAt = V2_FIXED_BYTES + 2 * ipBytes
  const ipAt = (index: number) =>
    ipText(bytes.subarray(V2_FIXED_BYTES + index * ipBytes, V2_FIXED_BYTES + (index + 1) * ipBytes))
  return {
    length,
    source: { ip: ipAt(0), port: bytes.readUInt16BE(portsAt) },
    destination: { ip: ipAt(1), port: bytes.readUInt16BE(portsAt + 2) },
    tlvs,
  }
}

function parseTlvs(bytes: Buffer): ProxyHeader['tlvs'] | undefined {
  const tlvs: { type: number; value: Buffer }[] = []
  let position = 0
  while (position < bytes.length) {
    if (position + 3 > bytes.length) return undefined
    const end = position + 3 + bytes.readUInt16BE(position + 1)
    if (end > bytes.length) return undefined
    tlvs.push({ type: bytes.readUInt8(position), value: bytes.subarray(position + 3, end) })
    position = end
  }
  return tlvs
}

function ipText(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups: string[] = []
  for (let at = 0; at < bytes.length; at += 2) groups.push(bytes.readUInt16BE(at).toString(16))
  return groups.join(':')
}

/**
 * What a header says, under the names by which Java's handlers know it. TLV values that aren't printable ASCII are left out, as
 * Java does.
 * Source: NettyRemotingServer.HAProxyMessageHandler#handleWithMessage, BinaryUtil#isAscii, 5.3.x
 */
export function proxyAttributes(header: ProxyHeader): Map<string, string> {
  const attributes = new Map<string, string>()
  if (header.source !== undefined) {
    attributes.set('proxy_protocol_addr', header.source.ip)
    attributes.set('proxy_protocol_port', String(header.source.port))
  }
  if (header.destination !== undefined) {
    attributes.set('proxy_protocol_server_addr', header.destination.ip)
    attributes.set('proxy_protocol_server_port', String(header.destination.port))
  }
  for (const { type, value } of header.tlvs) {
    const text = value.toString('latin1')
    if (!/^[\x20-\x7e]*$/.test(text)) continue
    attributes.set(`proxy_protocol_tlv_0x${type.toString(16).padStart(2, '0')}`, text)
  }
  return attributes
}

/** The source of a header as `ip:port`, when it names one. */
export function proxySourceText(header: ProxyHeader): string | undefined {
  return header.source === undefined ? undefined : addressText(header.source.ip, header.source.port)
}
