import { createServer, type Server } from 'node:net'

function listen(port: number): Promise<Server | undefined> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

const close = (server: Server) => new Promise<void>(resolve => server.close(() => resolve()))

/**
 * A free port P of loopback whose neighbours P-2 (VIP) and P+1 (HA) are free as well, as a broker needs. Each call in one
 * process gives another port. Another program may still take it in between: starting again with a new port is the remedy.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const first = await listen(0)
    if (!first) continue
    const address = first.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const neighbours = [await listen(port - 2), await listen(port + 1)]
    for (const server of [first, ...neighbours]) if (server) await close(server)
    if (neighbours.every(server => server !== undefined) && !given.has(port)) {
      for (const taken of [port - 2, port - 1, port, port + 1]) given.add(taken)
      return port
    }
  }
}

const given = new Set<number>()
