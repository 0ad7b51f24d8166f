import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { CURRENT_VERSION, decodeFrame, encodeFrame, type RemotingCommand, requestCommand } from '@rocketmq-ts/protocol'
import {
  FrameDecoder,
  RpcClient,
  type RpcClientOptions,
  RpcServer,
  type RpcServerOptions,
} from '@rocketmq-ts/remoting/internal'
import { nodeNetwork, systemClock } from '@rocketmq-ts/runtime'

/** Closes what a test opened, in reverse order: when told, and in any case at the test's end. */
export class Cleanup {
  readonly #closers: (() => unknown)[] = []

  constructor(test: TestContext) {
    test.after(() => this.close())
  }

  add<T extends { close(): unknown }>(closable: T): T {
    this.#closers.push(() => closable.close())
    return closable
  }

  defer(closer: () => unknown): void {
    this.#closers.push(closer)
  }

  async close(): Promise<void> {
    for (const closer of this.#closers.splice(0).reverse()) await closer()
  }
}

/** A server on a free port of 127.0.0.1, with its address as text. */
export async function startServer(
  cleanup: Cleanup,
  options: Partial<RpcServerOptions> = {},
): Promise<{ server: RpcServer; port: number; address: string }> {
  const server = cleanup.add(new RpcServer({ network: nodeNetwork, clock: systemClock, ...options }))
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 })
  return { server, port, address: `127.0.0.1:${port}` }
}

export function startClient(cleanup: Cleanup, options: Partial<RpcClientOptions> = {}): RpcClient {
  return cleanup.add(new RpcClient({ network: nodeNetwork, clock: systemClock, ...options }))
}

/** A peer without manners: a bare socket, and the frames that come out of it. */
export class RawPeer {
  readonly socket: Socket
  readonly frames: RemotingCommand[] = []
  readonly closed: Promise<void>
  #waiters: { count: number; resolve: () => void }[] = []

  private constructor(socket: Socket) {
    this.socket = socket
    const decoder = new FrameDecoder()
    socket.on('data', chunk => {
      decoder.push(chunk)
      while (decoder.next()) this.frames.push(decodeFrame(decoder.bytes, decoder.start, decoder.end))
      this.#waiters = this.#waiters.filter(waiter => {
        if (this.frames.length < waiter.count) return true
        waiter.resolve()
        return false
      })
    })
    socket.on('error', () => {})
    this.closed = new Promise(resolve => socket.on('close', () => resolve()))
  }

  static connect(port: number): Promise<RawPeer> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(new RawPeer(socket)))
      socket.once('error', reject)
    })
  }

  send(bytes: Buffer): void {
    this.socket.write(bytes)
  }

  /** Resolves when `count` frames have come in all. */
  received(count: number): Promise<void> {
    if (this.frames.length >= count) return Promise.resolve()
    return new Promise(resolve => this.#waiters.push({ count, resolve }))
  }

  close(): void {
    this.socket.destroy()
  }
}

/** An encoded request. */
export function requestFrame(
  code: number,
  opaque: number,
  body?: Buffer,
  ext: Record<string, string> = {},
  version = CURRENT_VERSION,
): Buffer {
  const command = requestCommand(code, ext, body, { version })
  command.opaque = opaque
  return encodeFrame(command)
}
