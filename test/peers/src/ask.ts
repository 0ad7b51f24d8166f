import { connect } from 'node:net'

/** One request on a new connection; resolves with the header of the answer. Rejects after 10 s or on a closed connection. */
export function ask(
  address: string,
  code: number,
  extFields: Record<string, string>,
  body = '',
): Promise<{ code: number; remark?: string }> {
  const at = address.lastIndexOf(':')
  const header = Buffer.from(JSON.stringify({ code, extFields, flag: 0, language: 'JAVA', opaque: 1, version: 479 }))
  const head = Buffer.alloc(8)
  head.writeInt32BE(4 + header.length + body.length, 0)
  head.writeInt32BE(header.length, 4)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address.slice(0, at), port: Number(address.slice(at + 1)) })
    const timer = setTimeout(() => fail(new Error(`${address} did not answer request ${code} in 10 s`)), 10_000)
    const fail = (error: Error) => {
      clearTimeout(timer)
      socket.destroy()
      reject(error)
    }
    let data = Buffer.alloc(0)
    socket.on('error', fail)
    socket.on('close', () => fail(new Error(`${address} closed the connection on request ${code}`)))
    socket.on('data', chunk => {
      data = Buffer.concat([data, chunk])
      if (data.length < 8 || data.length < 4 + data.readInt32BE(0)) return
      clearTimeout(timer)
      socket.removeAllListeners('close')
      socket.destroy()
      resolve(JSON.parse(data.toString('utf8', 8, 8 + (data.readInt32BE(4) & 0xffffff))))
    })
    socket.write(Buffer.concat([head, header, Buffer.from(body)]))
  })
}
