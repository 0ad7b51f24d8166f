import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { nodeNetwork } from '@rocketmq-ts/runtime'

test('bytes pass both ways, and the port is free after close', async () => {
  const accepted: Socket[] = []
  const listener = await nodeNetwork.listen({ host: '127.0.0.1', port: 0 }, socket => {
    accepted.push(socket)
    socket.pipe(socket)
  })
  const { port } = listener
  const socket = await nodeNetwork.connect({ host: '127.0.0.1', port, timeoutMs: 5_000 })
  const echoed = new Promise<string>(resolve => socket.once('data', chunk => resolve(String(chunk))))
  socket.write('hello')
  assert.equal(await echoed, 'hello')
  const gone = new Promise<void>(resolve => accepted[0]?.once('close', () => resolve()))
  socket.destroy()
  await gone
  await listener.close()
  const again = await nodeNetwork.listen({ host: '127.0.0.1', port }, () => {})
  await again.close()
})

test('a port in use is ADDRESS_IN_USE, and nobody listening is CONNECT_FAILED with the address', async () => {
  const listener = await nodeNetwork.listen({ host: '127.0.0.1', port: 0 }, () => {})
  const { port } = listener
  await assert.rejects(
    nodeNetwork.listen({ host: '127.0.0.1', port }, () => {}),
    { code: 'ADDRESS_IN_USE' },
  )
  await listener.close()
  await assert.rejects(nodeNetwork.connect({ host: '127.0.0.1', port, timeoutMs: 5_000 }), {
    code: 'CONNECT_FAILED',
    details: { address: `127.0.0.1:${port}` },
  })
})

test('an aborted connect rejects with ABORTED', async () => {
  const aborter = new AbortController()
  const connecting = nodeNetwork.connect({ host: '127.0.0.1', port: 9, timeoutMs: 5_000, signal: aborter.signal })
  aborter.abort()
  await assert.rejects(connecting, { code: 'ABORTED' })
  await assert.rejects(nodeNetwork.connect({ host: '127.0.0.1', port: 9, timeoutMs: 5_000, signal: aborter.signal }), {
    code: 'ABORTED',
  })
})

const hasIpv6 = Object.values(networkInterfaces()).some(list => list?.some(({ address }) => address === '::1'))

test('0.0.0.0 stands for all addresses, those of IPv6 included', async () => {
  const listener = await nodeNetwork.listen({ host: '0.0.0.0', port: 0 }, socket => socket.on('error', () => {}))
  for (const host of hasIpv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1']) {
    const socket = await nodeNetwork.connect({ host, port: listener.port, timeoutMs: 5_000 })
    socket.destroy()
  }
  await assert.rejects(
    nodeNetwork.listen({ host: '0.0.0.0', port: listener.port }, () => {}),
    { code: 'ADDRESS_IN_USE', message: /0\.0\.0\.0/ },
  )
  await listener.close()
})
