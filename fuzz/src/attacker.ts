import { connect, type Socket } from 'node:net'
import type { HostileFrames } from './hostile-frames.ts'

/** Sends hostile frames over one connection after another, reads whatever comes back, and never stops on a closed connection. */
export class Attacker {
  sent = 0
  connections = 0
  private readonly host: string
  private readonly port: number
  private readonly frames: HostileFrames

  constructor(address: string, frames: HostileFrames) {
    const at = address.lastIndexOf(':')
    this.host = address.slice(0, at)
    this.port = Number(address.slice(at + 1))
    this.frames = frames
  }

  /** Resolves when `count` frames have been written. Rejects when the server no longer accepts connections. */
  async attack(count: number): Promise<void> {
    while (this.sent < count) {
      const socket = await this.open()
      this.connections++
      await this.useUp(socket, count)
    }
  }

  private open(): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: this.host, port: this.port })
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.removeListener('error', reject)
        socket.on('error', () => {})
        socket.resume()
        resolve(socket)
      })
    })
  }

  /** Writes until the server closes this connection or the count is reached, in bursts cut at arbitrary points. */
  private useUp(socket: Socket, count: number): Promise<void> {
    return new Promise(resolve => {
      let open = true
      socket.once('close', () => {
        open = false
        resolve()
      })
      const burst = () => {
        if (!open) return
        if (this.sent >= count) {
          socket.end()
          socket.destroySoon()
          return
        }
        const parts: Buffer[] = []
        for (let i = 0; i < 64 && this.sent < count; i++, this.sent++) parts.push(this.frames.next())
        if (socket.write(Buffer.concat(parts))) setImmediate(burst)
        else socket.once('drain', burst)
      }
      burst()
    })
  }
}
