import type { Socket, TimingWheel } from '@rocketmq-ts/runtime'
import { type RateLimitedLog, TimingWheelEntry } from '@rocketmq-ts/runtime'
import { type PeerAddresses, socketAddresses } from './address.ts'
import { detectProxyHeader, proxyAttributes, proxySourceText } from './proxy-protocol.ts'
import type { TlsAcceptor } from './tls-acceptor.ts'

const TLS_HANDSHAKE_BYTE = 0x16

/** A connection that may begin to speak frames. */
export interface AdmittedPeer {
  readonly socket: Socket
  readonly addresses: PeerAddresses
  /** What a PROXY header said. */
  readonly attributes: ReadonlyMap<string, string>
  /** Bytes that have come in already. */
  readonly firstBytes: Buffer
}

/** What a {@link FrontDoor} needs. */
export interface FrontDoorOptions {
  wheel: TimingWheel
  repeatedLog: RateLimitedLog
  /** How long a peer may take from connecting to being admitted. */
  timeoutMs: number
  tlsMode: 'disabled' | 'permissive' | 'enforcing'
  /** Undefined when {@link FrontDoorOptions.tlsMode} is `disabled`. */
  tls: TlsAcceptor | undefined
  /** Look for a PROXY header. */
  proxyProtocol: boolean
  onAdmitted: (peer: AdmittedPeer) => void
}

/**
 * What a server does with the first bytes of a connection: a PROXY header is read and taken off; then a TLS hello starts
 * TLS, anything else is plain frames.
 *
 * ```text
 *   first bytes ──► detecting ──plain──────────────────► admitted
 *                     │    └─TLS hello─► securing ─ok──► admitted
 *                     └── bad header, wrong mode, time-out, handshake failed ──► closed
 * ```
 */
export class FrontDoor {
  readonly #options: FrontDoorOptions
  readonly #visitors = new Set<Visitor>()

  constructor(options: FrontDoorOptions) {
    this.#options = options
  }

  /** Sockets that are not admitted yet. */
  get waiting(): number {
    return this.#visitors.size
  }

  receive(socket: Socket): void {
    const visitor = new Visitor(socket, this.#options, () => this.#visitors.delete(visitor))
    this.#visitors.add(visitor)
    this.#options.wheel.schedule(this.#options.timeoutMs, visitor)
  }

  /** Turns everybody away who has not been admitted. */
  close(): void {
    for (const visitor of this.#visitors) visitor.turnAway('the server stops')
  }
}

class Visitor extends TimingWheelEntry {
  readonly #socket: Socket
  readonly #options: FrontDoorOptions
  readonly #onGone: () => void
  readonly #onData = (chunk: Buffer) => this.#look(chunk)
  readonly #onClose = () => this.#leave()
  readonly #onError = () => {}
  #addresses: PeerAddresses
  #attributes: ReadonlyMap<string, string> = new Map()
  #bytes: Buffer = Buffer.alloc(0)
  #lookForProxy: boolean

  constructor(socket: Socket, options: FrontDoorOptions, onGone: () => void) {
    super()
    this.#socket = socket
    this.#options = options
    this.#onGone = onGone
    this.#addresses = socketAddresses(socket)
    this.#lookForProxy = options.proxyProtocol
    socket.on('data', this.#onData)
    socket.on('close', this.#onClose)
    socket.on('error', this.#onError)
  }

  override onTimeout(): void {
    this.turnAway('nothing said in time')
  }

  turnAway(reason: string): void {
    const { remoteAddress } = this.#addresses
    this.#options.repeatedLog.info('turned away', { remoteAddress, reason }, 'connection turned away')
    this.#socket.destroy()
    this.#leave()
  }

  #look(chunk: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk])
    if (this.#lookForProxy && !this.#passProxyHeader()) return
    if (this.#bytes.length === 0) return
    const isTls = this.#bytes[0] === TLS_HANDSHAKE_BYTE
    const { tls, tlsMode } = this.#options
    if (!isTls) {
      if (tlsMode === 'enforcing') this.turnAway('plain, but TLS is enforced')
      else this.#admit(this.#socket, this.#bytes)
    } else if (tls === undefined || !tls.isAble) this.turnAway('TLS, but there is none here')
    else this.#secure(tls)
  }

  /** False when the decision has to wait, or has been made against the visitor. */
  #passProxyHeader(): boolean {
    const header = detectProxyHeader(this.#bytes)
    if (header === 'more') return false
    if (header === 'invalid') {
      this.turnAway('a malformed PROXY header')
      return false
    }
    this.#lookForProxy = false
    if (header === 'none') return true
    this.#bytes = this.#bytes.subarray(header.length)
    this.#attributes = proxyAttributes(header)
    const remoteAddress = proxySourceText(header)
    if (remoteAddress !== undefined) this.#addresses = { ...this.#addresses, remoteAddress }
    return true
  }

  #secure(tls: TlsAcceptor): void {
    const socket = this.#socket
    socket.off('data', this.#onData)
    socket.pause()
    socket.unshift(this.#bytes)
    tls.accept(socket, secure => this.#admit(secure, Buffer.alloc(0)))
  }

  #admit(socket: Socket, firstBytes: Buffer): void {
    this.#leave()
    this.#options.onAdmitted({ socket, addresses: this.#addresses, attributes: this.#attributes, firstBytes })
  }

  #leave(): void {
    this.#options.wheel.cancel(this)
    this.#socket.off('data', this.#onData)
    this.#socket.off('close', this.#onClose)
    // The error listener stays: a socket that is turned away, or wrapped, may still fail, and nobody else would hear it.
    this.#onGone()
  }
}
