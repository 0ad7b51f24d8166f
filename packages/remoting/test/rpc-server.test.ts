import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  defineApi,
  defineHeader,
  encodeFrame,
  type RemotingCommand,
  requestCommand,
  required,
  responseCommand,
} from '@rocketmq-ts/protocol'
import { type Connection, Router } from '@rocketmq-ts/remoting/internal'
import { RocketMqError } from '@rocketmq-ts/runtime'
import { Cleanup, RawPeer, requestFrame, startClient, startServer } from './support.ts'

const double = defineApi({
  name: 'DOUBLE',
  code: 7001,
  request: defineHeader('DoubleRequestHeader', { value: required.int32() }),
  response: defineHeader('DoubleResponseHeader', { value: required.int32() }),
})

test('a call reaches its handler and the answer reaches the caller', async t => {
  const cleanup = new Cleanup(t)
  const { server, address } = await startServer(cleanup)
  server.router.handle(double, ({ header, body }) => ({ header: { value: header.value * 2 }, body }))
  const client = startClient(cleanup)
  const answer = await client.call(double, address, { value: 21 }, { body: Buffer.from('abc') })
  assert.equal(answer.header.value, 42)
  assert.equal(answer.body?.toString(), 'abc')
  await cleanup.close()
})

test('many calls travel on one connection and are answered in any order', async t => {
  const cleanup = new Cleanup(t)
  const { server, address } = await startServer(cleanup)
  const parked: (() => void)[] = []
  server.router.handle(double, async ({ header }) => {
    await new Promise<void>(resolve => {
      parked.push(resolve)
      if (parked.length === 100) for (const release of parked.reverse()) release()
    })
    return { header: { value: header.value * 2 } }
  })
  const client = startClient(cleanup)
  const answers = await Promise.all(Array.from({ length: 100 }, (_, value) => client.call(double, address, { value })))
  assert.deepEqual(
    answers.map(answer => answer.header.value),
    Array.from({ length: 100 }, (_, value) => value * 2),
  )
  assert.equal(server.connectionCount, 1)
  await cleanup.close()
})

test('an unknown request code is answered with code 3 and the remark that Java gives', async t => {
  const cleanup = new Cleanup(t)
  const { port } = await startServer(cleanup)
  const peer = cleanup.add(await RawPeer.connect(port))
  peer.send(requestFrame(4711, 99))
  await peer.received(1)
  const [answer] = peer.frames
  assert.equal(answer?.code, 3)
  assert.equal(answer?.remark, ' request type 4711 not supported')
  assert.equal(answer?.opaque, 99)
  assert.equal(answer?.isResponse, true)
  await cleanup.close()
})

test('what a handler throws is answered with code 1, or with the code that the error names', async t => {
  const cleanup = new Cleanup(t)
  const { server, port } = await startServer(cleanup)
  server.router
    .handle(defineApi({ name: 'THROWS', code: 1 }), () => {
      throw new TypeError('a is no b')
    })
    .handle(defineApi({ name: 'REJECTS', code: 2 }), async () => {
      throw new RocketMqError('MESSAGE_ILLEGAL', 'too long', {
        details: { responseCode: 13, remark: 'the body is too long' },
      })
    })
    .handleRaw(3, () => {
      throw new RangeError('raw')
    })
    .handle(double, () => ({ header: { value: 1 } }))
  const peer = cleanup.add(await RawPeer.connect(port))
  for (const code of [1, 2, 3]) peer.send(requestFrame(code, code))
  peer.send(requestFrame(7001, 4, undefined, { value: 'many' }))
  await peer.received(4)
  const answers = [...peer.frames].sort((a, b) => a.opaque - b.opaque)
  assert.deepEqual(
    answers.map(({ code, remark }) => ({ code, remark })),
    [
      { code: 1, remark: 'TypeError: a is no b' },
      { code: 13, remark: 'the body is too long' },
      { code: 1, remark: 'RangeError: raw' },
      { code: 1, remark: 'RocketMqError: HEADER_INVALID: DoubleRequestHeader.value is no int32' },
    ],
  )
  await cleanup.close()
})

test('a oneway request is handled and never answered', async t => {
  const cleanup = new Cleanup(t)
  const { server, port } = await startServer(cleanup)
  const seen: string[] = []
  server.router
    .handle(double, ({ header }) => {
      seen.push(`handled ${header.value}`)
      return { header: { value: 0 } }
    })
    .handleRaw(8, (command, connection) => {
      seen.push('raw')
      connection.respond(command, responseCommand(command, 0))
    })
  const peer = cleanup.add(await RawPeer.connect(port))
  for (const [code, opaque] of [
    [7001, 1],
    [8, 2],
    [4711, 3],
  ] as const) {
    const command = requestCommand(code, { value: '5' })
    command.opaque = opaque
    command.flag = 2
    peer.send(encodeFrame(command))
  }
  peer.send(requestFrame(7001, 4, undefined, { value: '6' }))
  await peer.received(1)
  assert.deepEqual(
    peer.frames.map(frame => frame.opaque),
    [4],
  )
  assert.deepEqual(seen, ['handled 5', 'raw', 'handled 6'])
  await cleanup.close()
})

test('a server calls its client on the same connection', async t => {
  const cleanup = new Cleanup(t)
  const { server, address } = await startServer(cleanup)
  let peer: Connection | undefined
  server.onConnection(connection => {
    peer = connection
  })
  server.router.handle(double, () => ({ header: { value: 0 } }))
  const requestHandlers = new Router().handle(double, ({ header }) => ({ header: { value: header.value + 1 } }))
  const client = startClient(cleanup, { requestHandlers })
  await client.call(double, address, { value: 1 })
  const answer = (await peer?.call(requestCommand(7001, { value: '9' }), 5_000)) as RemotingCommand
  assert.equal(answer.extFields?.value, '10')
  await cleanup.close()
})

test('the answers of one turn leave in one write', async t => {
  const cleanup = new Cleanup(t)
  const { server, port } = await startServer(cleanup)
  const writes: number[] = []
  server.router.handleRaw(9, (command, connection) => connection.respond(command, responseCommand(command, 0)))
  const peer = cleanup.add(await RawPeer.connect(port))
  peer.socket.on('data', chunk => writes.push(chunk.length))
  peer.send(Buffer.concat(Array.from({ length: 50 }, (_, index) => requestFrame(9, index + 1))))
  await peer.received(50)
  assert.equal(writes.length, 1)
  await cleanup.close()
})

test('closing the server closes its connections and tells the listeners', async t => {
  const cleanup = new Cleanup(t)
  const { server, port } = await startServer(cleanup)
  const events: string[] = []
  server.onConnection(connection => {
    events.push(`open ${connection.remoteAddress}`)
    connection.onClose(() => events.push(`closed ${connection.state}`))
  })
  server.onClose(() => events.push('server told'))
  server.router.handleRaw(9, (command, connection) => connection.respond(command, responseCommand(command, 0)))
  const peer = cleanup.add(await RawPeer.connect(port))
  peer.send(requestFrame(9, 1))
  await peer.received(1)
  const from = `127.0.0.1:${peer.socket.localPort}`
  await server.close()
  await peer.closed
  assert.deepEqual(events, [`open ${from}`, 'server told', 'closed closed'])
  assert.equal(server.connectionCount, 0)
  await cleanup.close()
})
