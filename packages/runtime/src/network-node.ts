import { connect as connectSocket, createServer, type Server, type Socket } from 'node:net'
import { RocketMqError } from './errors.ts'
import type { Listener, Network } from './network.ts'

/** TCP through `node:net`. */
export const nodeNetwork: Network = {
  async listen({ host, port, backlog = 1024 }, onSocket) {
    try {
      // "All addresses" are those of both families, as for a Java program; where there is no IPv6, those of IPv4.
      if (host === '0.0.0.0') return listenerOf(await bind('::', port, backlog, onSocket), host)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'EAFNOSUPPORT' && code !== 'EADDRNOTAVAIL') throw listenError(error as Error, host, port)
    }
    try {
      return listenerOf(await bind(host, port, backlog, onSocket), host)
    } catch (error) {
      throw listenError(error as Error, host, port)
    }
  },

  connect({ host, port, timeoutMs, signal }) {
    return new Promise((resolve, reject) => {
      const address = `${host}:${port}`
      if (signal?.aborted) return reject(abortedError(address, signal))
      const socket = connectSocket({ host, port, noDelay: true })
      const timer = setTimeout(() => fail(failedError(address, `no answer within ${timeoutMs} ms`)), timeoutMs)
      const onAbort = () => fail(abortedError(address, signal as AbortSignal))
      const onError = (error: Error) => fail(failedError(address, error.message, error))
      const settle = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        socket.off('error', onError)
        socket.off('connect', onConnect)
      }
      const fail = (error: RocketMqError) => {
        settle()
        socket.on('error', () => {})
        socket.destroy()
        reject(error)
      }
      const onConnect = () => {
        settle()
        resolve(socket)
      }
      socket.once('connect', onConnect)
      socket.once('error', onError)
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  },
}

/** A server that listens; rejects with the system's error. */
function bind(host: string, port: number, backlog: number, onSocket: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({ noDelay: true }, onSocket)
    server.once('error', reject)
    server.listen({ host, port, backlog }, () => {
      server.off('error', reject)
      // Accept failures (EMFILE …) come here: the next accept is tried by libuv, nothing to undo.
      server.on('error', () => {})
      resolve(server)
    })
  })
}

function listenerOf(server: Server, host: string): Listener {
  const bound = server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0
  let closing: Promise<void> | undefined
  return {
    host,
    port,
    close() {
      closing ??= new Promise(resolve => server.close(() => resolve()))
      return closing
    },
  }
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): RocketMqError {
  const details = { address: `${host}:${port}` }
  if (error.code === 'EADDRINUSE') {
    return new RocketMqError('ADDRESS_IN_USE', `another program listens on ${host}:${port}`, { cause: error, details })
  }
  return new RocketMqError('CONNECT_FAILED', `cannot listen on ${host}:${port}: ${error.message}`, {
    cause: error,
    details,
  })
}

function failedError(address: string, why: string, cause?: Error): RocketMqError {
  return new RocketMqError('CONNECT_FAILED', `cannot connect to ${address}: ${why}`, { cause, details: { address } })
}

function abortedError(address: string, signal: AbortSignal): RocketMqError {
  return new RocketMqError('ABORTED', `connecting to ${address} was aborted`, {
    cause: signal.reason,
    details: { address },
  })
}
