import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeFrameHead, noHeader, type RemotingCommand, requestCommand, responseCommand } from '@rocketmq-ts/protocol'
import { type Connection, PendingCall, type RequestHook } from '@rocketmq-ts/remoting/internal'
import { type Network, nodeNetwork, type RocketMqError, silentLogger } from '@rocketmq-ts/runtime'
import { ManualClock } from '@rocketmq-ts/testing'
import { settled } from './settled.ts'
import { Cleanup, startClient, startServer } from './support.ts'

const ECHO = 9
const SILENT = 10
const REFUSED = 11

async function startPeer(cleanup: Cleanup) {
  const started = await startServer(cleanup)
  const requests: RemotingCommand[] = []
  started.server.router
    .handleRaw(ECHO, (command, connection) => {
      requests.push(command)
      connection.respond(command, responseCommand(command, 0, undefined, command.extFields, command.body))
    })
    .handleRaw(SILENT, command => void requests.push(command))
    .handleRaw(REFUSED, (command, connection) =>
      connection.respond(command, responseCommand(command, 17, 'no such topic')),
    )
  return { ...started, requests }
}

test('a call that is not answered in time fails, and late answers harm nobody', async t => {
  const cleanup = new Cleanup(t)
  const clock = new ManualClock()
  const { address, requests, server } = await startPeer(cleanup)
  const client = startClient(cleanup, { clock })
  const call = client.invoke(address, requestCommand(SILENT), 3_000)
  const failed = assert.rejects(call, { code: 'REQUEST_TIMEOUT' })
  await settled(() => requests.length === 1)
  clock.advance(2_900)
  // Something else is answered meanwhile, so the connection isn't given up.
  await client.invoke(address, requestCommand(ECHO), 3_000)
  clock.advance(300)
  await failed
  const [connection] = [...server.connections] as [Connection]
  connection.respond(requests[0] as RemotingCommand, responseCommand(requests[0] as RemotingCommand, 0))
  await client.invoke(address, requestCommand(ECHO), 3_000)
  assert.equal(server.connectionCount, 1)
  await cleanup.close()
})

test('a connection on which nothing comes in any more is given up with the first call that times out', async t => {
  const cleanup = new Cleanup(t)
  const clock = new ManualClock()
  const { address, requests, server } = await startPeer(cleanup)
  const client = startClient(cleanup, { clock })
  const calls = [
    client.invoke(address, requestCommand(SILENT), 1_000),
    client.invoke(address, requestCommand(SILENT), 60_000),
  ]
  const failures = Promise.allSettled(calls)
  await settled(() => requests.length === 2)
  clock.advance(1_200)
  assert.deepEqual(
    (await failures).map(result => (result as PromiseRejectedResult).reason.code),
    ['REQUEST_TIMEOUT', 'CONNECTION_CLOSED'],
  )
  await settled(() => server.connectionCount === 0)
  await client.invoke(address, requestCommand(ECHO), 3_000)
  await cleanup.close()
})

test('an aborted call rejects at once and leaves no listener on the signal', async t => {
  const cleanup = new Cleanup(t)
  const { address, requests } = await startPeer(cleanup)
  const client = startClient(cleanup)
  const aborter = new AbortController()
  const call = client.invoke(address, requestCommand(SILENT), 60_000, aborter.signal)
  const failed = assert.rejects(call, { code: 'ABORTED' })
  await settled(() => requests.length === 1)
  aborter.abort()
  await failed
  await assert.rejects(client.invoke(address, requestCommand(ECHO), 60_000, aborter.signal), { code: 'ABORTED' })
  const [connection] = [...client.connections] as [Connection]
  assert.equal(connection.pendingCalls, 0)
  await cleanup.close()
})

test('calls made at once share one connection', async t => {
  const cleanup = new Cleanup(t)
  const { address, server } = await startPeer(cleanup)
  let connects = 0
  const network: Network = {
    ...nodeNetwork,
    connect: options => {
      connects++
      return nodeNetwork.connect(options)
    },
  }
  const client = startClient(cleanup, { network })
  await Promise.all(Array.from({ length: 20 }, () => client.invoke(address, requestCommand(ECHO))))
  assert.equal(connects, 1)
  assert.equal(server.connectionCount, 1)
  await cleanup.close()
})

test('when the server closes, waiting calls fail at once and the next call connects again', async t => {
  const cleanup = new Cleanup(t)
  const { address, server, requests } = await startPeer(cleanup)
  const client = startClient(cleanup)
  const failed = assert.rejects(client.invoke(address, requestCommand(SILENT), 60_000), { code: 'CONNECTION_CLOSED' })
  await settled(() => requests.length === 1)
  for (const connection of server.connections) connection.close()
  await failed
  await client.invoke(address, requestCommand(ECHO))
  await cleanup.close()
})

test('an address where nobody listens fails with CONNECT_FAILED, and may be tried again', async t => {
  const cleanup = new Cleanup(t)
  const { address, server } = await startPeer(cleanup)
  await server.close()
  const client = startClient(cleanup)
  for (let attempt = 0; attempt < 2; attempt++) {
    await assert.rejects(client.invoke(address, requestCommand(ECHO)), (error: RocketMqError) => {
      assert.equal(error.code, 'CONNECT_FAILED')
      assert.equal(error.details.address, address)
      return true
    })
  }
  await assert.rejects(client.invoke('nowhere', requestCommand(ECHO)), { code: 'INVALID_ARGUMENT' })
  await cleanup.close()
})

test('an answer with another code is an error that carries it, unless the caller accepts it', async t => {
  const cleanup = new Cleanup(t)
  const { address } = await startPeer(cleanup)
  const client = startClient(cleanup)
  const refused = { name: 'REFUSED', code: REFUSED, request: noHeader, response: noHeader }
  await assert.rejects(client.call(refused, address, {}), (error: RocketMqError) => {
    assert.equal(error.code, 'RESPONSE_ERROR')
    assert.equal(error.details.responseCode, 17)
    assert.equal(error.details.remark, 'no such topic')
    return true
  })
  const answer = await client.call(refused, address, {}, { accept: [17] })
  assert.equal(answer.command.code, 17)
  await cleanup.close()
})

test('hooks see each request before it is sent and each answer before its caller', async t => {
  const cleanup = new Cleanup(t)
  const { address } = await startPeer(cleanup)
  const seen: string[] = []
  const hook: RequestHook = {
    beforeRequest: (to, command) => {
      seen.push(`to ${to}`)
      command.extFields = { ...command.extFields, Signature: 'x' }
    },
    afterResponse: (_, request, response) => void seen.push(`${request.code} answered ${response.code}`),
  }
  const client = startClient(cleanup, { hooks: [hook] })
  const answer = await client.invoke(address, requestCommand(ECHO, { a: '1' }))
  assert.deepEqual(answer.extFields, { a: '1', Signature: 'x' })
  assert.deepEqual(seen, [`to ${address}`, `${ECHO} answered 0`])
  await cleanup.close()
})

test('a server that goes away is asked again on a new connection, once', async t => {
  const cleanup = new Cleanup(t)
  const { address, server } = await startServer(cleanup)
  const connections: number[] = []
  let served = 1
  server.router.handleRaw(ECHO, (command, connection) => {
    connections.push(connection.id)
    connection.respond(command, responseCommand(command, connections.length > served ? 0 : 1500))
  })
  const client = startClient(cleanup)
  const answer = await client.invoke(address, requestCommand(ECHO))
  assert.equal(answer.code, 0)
  assert.equal(new Set(connections).size, 2)
  served = 1_000
  const again = { name: 'ECHO', code: ECHO, request: noHeader, response: noHeader }
  await assert.rejects(client.call(again, address, {}), (error: RocketMqError) => {
    assert.equal(error.details.responseCode, 1500)
    assert.equal(error.retryable, true)
    return true
  })
  assert.equal(connections.length, 4)
  await cleanup.close()
})

test('raw calls go out together and each hears its own answer', async t => {
  const cleanup = new Cleanup(t)
  const { address } = await startPeer(cleanup)
  const client = startClient(cleanup)
  const connection = await client.connect(address)
  assert.equal(client.connectionTo(address), connection)
  const answers: string[] = []
  const done = new Promise<void>(resolve => {
    class Call extends PendingCall {
      override onResponse(response: RemotingCommand): void {
        answers.push(String(response.body))
        if (answers.length === 100) resolve()
      }
      override onFailure(error: RocketMqError): void {
        assert.fail(error)
      }
    }
    for (let index = 0; index < 100; index++) {
      const call = new Call()
      const command = requestCommand(ECHO)
      call.opaque = command.opaque = connection.nextOpaque()
      const body = Buffer.from(String(index))
      connection.callRaw(call, encodeFrameHead(command, body.length), body, 3_000)
    }
  })
  await done
  assert.deepEqual(
    answers,
    Array.from({ length: 100 }, (_, index) => String(index)),
  )
  await cleanup.close()
})

test('too many calls or unsent bytes are refused before they begin', async t => {
  const cleanup = new Cleanup(t)
  const { address } = await startPeer(cleanup)
  const client = startClient(cleanup, { callsMax: 2, outgoingLimitBytes: 10_000 })
  const connection = await client.connect(address)
  const waiting = [connection.call(requestCommand(SILENT), 60_000), connection.call(requestCommand(SILENT), 60_000)]
  const failures = Promise.allSettled(waiting)
  await assert.rejects(connection.call(requestCommand(SILENT), 60_000), { code: 'TOO_MANY_REQUESTS' })
  connection.sendOneway(requestCommand(SILENT, {}, Buffer.alloc(20_000)))
  assert.throws(() => connection.sendOneway(requestCommand(SILENT)), { code: 'TOO_MANY_REQUESTS' })
  await cleanup.close()
  for (const result of await failures) assert.equal((result as PromiseRejectedResult).reason.code, 'CONNECTION_CLOSED')
})

test('a closed client refuses calls and leaves no timer', async t => {
  const cleanup = new Cleanup(t)
  const clock = new ManualClock()
  const { address } = await startPeer(cleanup)
  const client = startClient(cleanup, { clock })
  await client.invoke(address, requestCommand(ECHO))
  await client.close()
  assert.equal(clock.pendingCount, 0)
  await assert.rejects(client.invoke(address, requestCommand(ECHO)), { code: 'INVALID_STATE' })
  await cleanup.close()
})

test('a call whose handlers throw harms neither the connection nor other calls', async t => {
  const cleanup = new Cleanup(t)
  const { address, server, requests } = await startPeer(cleanup)
  const errors: string[] = []
  const logger = { ...silentLogger, error: (_: object, message: string) => void errors.push(message) }
  const client = startClient(cleanup, { logger })
  const connection = await client.connect(address)
  class Thrower extends PendingCall {
    override onResponse(): void {
      throw new Error('in onResponse')
    }
    override onFailure(): void {
      throw new Error('in onFailure')
    }
  }
  const start = (code: number) => {
    const call = new Thrower()
    const command = requestCommand(code)
    call.opaque = command.opaque = connection.nextOpaque()
    connection.callRaw(call, encodeFrameHead(command, 0), undefined, 60_000)
  }
  start(ECHO)
  await client.invoke(address, requestCommand(ECHO))
  start(SILENT)
  const other = assert.rejects(connection.call(requestCommand(SILENT), 60_000), { code: 'CONNECTION_CLOSED' })
  await settled(() => requests.length === 4)
  for (const peer of server.connections) peer.close()
  await other
  assert.deepEqual(errors, ['a response handler failed', 'a failure handler failed'])
  await cleanup.close()
})
