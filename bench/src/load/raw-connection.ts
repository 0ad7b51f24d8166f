import { connect, type Socket } from 'node:net'

/** What the generator needs of an answer: who asked, how it went, and where the body lies in `chunk`. */
export type OnAnswer = (
  opaque: number,
  code: number,
  chunk: Buffer,
  headerStart: number,
  bodyStart: number,
  bodyEnd: number,
) => void

/**
 * One pipelined connection of the load generator. It writes frames built beforehand and reads of an answer only its code
 * and opaque, so that the generator costs a fraction of the broker it measures. Not a client: it trusts its peer.
 */
export class RawConnection {
  readonly socket: Socket
  private rest: Buffer | undefined
  private readonly onAnswer: OnAnswer
  private readonly onChunkEnd: () => void

  private constructor(socket: Socket, onAnswer: OnAnswer, onChunkEnd: () => void) {
    this.socket = socket
    this.onAnswer = onAnswer
    this.onChunkEnd = onChunkEnd
    socket.on('data', chunk => this.onData(chunk))
  }

  static open(address: string, onAnswer: OnAnswer, onChunkEnd: () => void): Promise<RawConnection> {
    const [host, port] = address.split(':')
    return new Promise((resolve, reject) => {
      const socket = connect({ host: host ?? '127.0.0.1', port: Number(port), noDelay: true })
      socket.once('error', reject)
      socket.once('connect', () => resolve(new RawConnection(socket, onAnswer, onChunkEnd)))
    })
  }

  close(): void {
    this.socket.removeAllListeners('data')
    this.socket.destroy()
  }

  private onData(chunk: Buffer): void {
    const data = this.rest === undefined ? chunk : Buffer.concat([this.rest, chunk])
    this.rest = undefined
    let at = 0
    while (data.length - at >= 8) {
      const end = at + 4 + data.readInt32BE(at)
      if (end > data.length) break
      const headerStart = at + 8
      const bodyStart = headerStart + (data.readInt32BE(at + 4) & 0xffffff)
      this.onAnswer(
        numberAfter(data, '"opaque":', headerStart),
        codeOf(data, headerStart),
        data,
        headerStart,
        bodyStart,
        end,
      )
      at = end
    }
    if (at < data.length) this.rest = data.subarray(at)
    this.onChunkEnd()
  }
}

function digitsAt(data: Buffer, start: number): number {
  let at = start
  let value = 0
  for (;;) {
    const digit = (data[at] ?? 0) - 48
    if (digit < 0 || digit > 9) return value
    value = value * 10 + digit
    at++
  }
}

/** The unsigned number that follows the first `name` from `start` on. */
export function numberAfter(data: Buffer, name: string, start: number): number {
  return digitsAt(data, data.indexOf(name, start, 'latin1') + name.length)
}

/** Both brokers write `{"code":N,` first; anything else is looked for. */
function codeOf(data: Buffer, headerStart: number): number {
  if (data[headerStart + 2] === 99 && data[headerStart + 7] === 58) return digitsAt(data, headerStart + 8)
  return numberAfter(data, '"code":', headerStart)
}
