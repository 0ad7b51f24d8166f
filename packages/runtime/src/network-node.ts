import { connect as connectSocket, createServer, type Server } from 'node:net'
import { RocketMqError } from './errors.ts'
import type { Listener, Network } from './network.ts'

/** TCP through `node:net`. */
export const nodeNetwork: Network = {
  listen({ host, port, backlog = 1024 }, onSocket) {
    return new Promise((resolve, reject) => {
      const server = createServer({ noDelay: true }, onSocket)
      const onError = (error: NodeJS.ErrnoException) => reject(listenError(error, host, port))
      server.once('error', onError)
      server.listen({ host, port, backlog }, () => {
        server.off('error', onError)
        // Accept failures (EMFILE …) come here: the next accept is tried by libuv, nothing to undo.
        server.on('error', () => {})
        resolve(listenerOf(server, host))
      })
    })
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
