import { connect, type Socket } from 'node:net'
import { decodeFrame, encodeFrame, type RemotingCommand, requestCommand } from '@rocketmq-ts/protocol'

interface Waiter {
  resolve(answer: RemotingCommand): void
  reject(error: Error): void
}

/** A plain request and answer connection, so that the soak does not share code with the client under test. */
export class Wire {
  private readonly socket: Socket
  private readonly waiting = new Map<number, Waiter>()
  private rest: Buffer = Buffer.alloc(0)
  private nextOpaque = 1

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on('data', chunk => this.onData(chunk))
    socket.on('error', () => {})
    socket.on('close', () => this.failAll())
  }

  static open(address: string): Promise<Wire> {
    const at = address.lastIndexOf(':')
    return new Promise((resolve, reject) => {
      const socket = connect({ host: address.slice(0, at), port: Number(address.slice(at + 1)), noDelay: true })
      socket.once('error', reject)
      socket.once('connect', () => resolve(new Wire(socket)))
    })
  }

  ask(code: number, extFields: Record<string, string>, body?: Buffer): Promise<RemotingCommand> {
    if (this.socket.destroyed) return Promise.reject(new Error('closed'))
    const command = requestCommand(code, extFields, body)
    command.opaque = this.nextOpaque++
    return new Promise((resolve, reject) => {
      this.waiting.set(command.opaque, { resolve, reject })
      this.socket.write(encodeFrame(command))
    })
  }

  close(): void {
    this.socket.destroy()
    this.failAll()
  }

  private failAll(): void {
    for (const waiter of this.waiting.values()) waiter.reject(new Error('closed'))
    this.waiting.clear()
  }

  private onData(chunk: Buffer): void {
    const data = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk])
    let at = 0
    while (data.length - at >= 4) {
      const end = at + 4 + data.readInt32BE(at)
      if (end > data.length) break
      const answer = decodeFrame(data, at + 4, end)
      const waiter = this.waiting.get(answer.opaque)
      this.waiting.delete(answer.opaque)
      waiter?.resolve(answer)
      at = end
    }
    this.rest = data.subarray(at)
  }
}
