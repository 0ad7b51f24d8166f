import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noHeader, responseCommand } from '@rocketmq-ts/protocol'
import type { RpcServer } from '@rocketmq-ts/remoting/internal'
import { ManualClock } from '@rocketmq-ts/testing'
import { settled } from './settled.ts'
import { Cleanup, RawPeer, requestFrame, startServer } from './support.ts'

const ECHO = 9

function echoing(server: RpcServer): void {
  server.router.handleRaw(ECHO, (command, connection) => {
    connection.respond(command, responseCommand(command, 0, undefined, undefined, command.body))
  })
}

test('garbage, impossible lengths and unreadable headers close the connection and harm nobody else', async t => {
  const cleanup = new Cleanup(t)
  const { server, port } = await startServer(cleanup)
  echoing(server)
  const good = cleanup.add(await RawPeer.connect(port))
  const broken: [string, Buffer][] = [
    ['http', Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n')],
    ['length 0', Buffer.alloc(4)],
    ['length 3', Buffer.from('00000003aabbcc', 'hex')],
    ['negative length', Buffer.from('ffffffff', 'hex')],
    ['huge length', Buffer.from('7fffffff00', 'hex')],
    ['one byte above the limit', Buffer.from('00fffffd', 'hex')],
    ['unknown serialize type', Buffer.from('0000000905000005', 'hex')],
    ['header longer than the frame', Buffer.from('0000000400ffffff', 'hex')],
    ['header that is no JSON', Buffer.concat([Buffer.from('0000000800000004', 'hex'), Buffer.from('}{}{')])],
  ]
  for (const [name, bytes] of broken) {
    const peer = cleanup.add(await RawPeer.connect(port))
    if (name === 'unknown serialize type') peer.send(Buffer.concat([bytes, Buffer.from('{"a":1}')]))
    else peer.send(bytes)
    await peer.closed
    assert.equal(peer.frames.length, 0, name)
  }
  good.send(requestFrame(ECHO, 5))
  await good.received(1)
  assert.equal(server.connectionCount, 1)
  await cleanup.close()
})

test('a request that comes byte by byte is answered like any other', async t => {
  const cleanup = new Cleanup(t)
  const { server, port } = await startServer(cleanup)
  echoing(server)
  const peer = cleanup.add(await RawPeer.connect(port))
  const bytes = Buffer.concat([requestFrame(ECHO, 1, Buffer.from('body')), requestFrame(ECHO, 2)])
  for (const byte of bytes) {
    peer.send(Buffer.from([byte]))
    await new Promise<void>(resolve => setImmediate(resolve))
  }
  await peer.received(2)
  assert.deepEqual(
    peer.frames.map(frame => [frame.opaque, frame.body?.toString()]),
    [
      [1, 'body'],
      [2, undefined],
    ],
  )
  await cleanup.close()
})

test('half frames cost their bytes, and a peer whose half frames exceed what all may have is closed', async t => {
  const cleanup = new Cleanup(t)
  const { server, port } = await startServer(cleanup, { unfinishedTotalBytes: 1024 * 1024 })
  echoing(server)
  const half = Buffer.alloc(600_000)
  half.writeInt32BE(16_000_000, 0)
  const first = cleanup.add(await RawPeer.connect(port))
  first.send(half.subarray(0, 10))
  const second = cleanup.add(await RawPeer.connect(port))
  second.send(half)
  second.send(half)
  await second.closed
  const third = cleanup.add(await RawPeer.connect(port))
  third.send(requestFrame(ECHO, 1))
  await third.received(1)
  assert.equal(server.connectionCount, 2)
  await cleanup.close()
})

test('a peer that does not read is no longer read from, and goes on once it reads', async t => {
  const cleanup = new Cleanup(t)
  const { server, port } = await startServer(cleanup, { outgoingLimitBytes: 256 * 1024, outgoingCloseBytes: 1 << 30 })
  let handled = 0
  let largestBacklog = 0
  const answer = Buffer.alloc(64 * 1024)
  server.router.handleRaw(ECHO, (command, connection) => {
    handled++
    connection.respond(command, responseCommand(command, 0), [answer])
    largestBacklog = Math.max(largestBacklog, connection.outgoingBytes)
  })
  const peer = cleanup.add(await RawPeer.connect(port))
  peer.socket.pause()
  const requests = 1_000
  for (let opaque = 1; opaque <= requests; opaque++) peer.send(requestFrame(ECHO, opaque))
  const [connection] = [...server.connections]
  await settled(() => [...server.connections][0]?.state === 'congested' || connection?.state === 'congested')
  assert.ok(handled < requests, `${handled} requests were handled for a peer that reads nothing`)
  peer.socket.resume()
  await peer.received(requests)
  assert.equal(handled, requests)
  assert.ok(largestBacklog <= 256 * 1024 + 2 * answer.length, `${largestBacklog} bytes waited`)
  await cleanup.close()
})

test('a peer that does not read is closed past the limit', async t => {
  const cleanup = new Cleanup(t)
  const { server, port } = await startServer(cleanup, {
    outgoingLimitBytes: 64 * 1024,
    outgoingCloseBytes: 1024 * 1024,
  })
  echoing(server)
  const peer = cleanup.add(await RawPeer.connect(port))
  peer.send(requestFrame(ECHO, 1))
  await peer.received(1)
  peer.socket.pause()
  const [connection] = [...server.connections]
  assert.ok(connection !== undefined)
  while (connection.state !== 'closed') {
    connection.writeFrame(requestFrame(ECHO, 1, Buffer.alloc(128 * 1024)))
    await new Promise<void>(resolve => setImmediate(resolve))
  }
  assert.match(connection.closeReason, /does not read/)
  await connection.closed
  peer.socket.resume()
  await cleanup.close()
})

test('requests that are being handled are bounded by bytes, per connection and over all', async t => {
  for (const limits of [{ inFlightLimitBytes: 100_000 }, { inFlightTotalBytes: 100_000 }]) {
    const cleanup = new Cleanup(t)
    const { server, port } = await startServer(cleanup, limits)
    const parked: (() => void)[] = []
    let handled = 0
    server.router.handle({ name: 'PARK', code: ECHO, request: noHeader, response: noHeader }, () => {
      handled++
      return new Promise(resolve => parked.push(() => resolve({})))
    })
    const peer = cleanup.add(await RawPeer.connect(port))
    const requests = 100
    for (let opaque = 1; opaque <= requests; opaque++) peer.send(requestFrame(ECHO, opaque, Buffer.alloc(10_000)))
    await settled(() => [...server.connections][0]?.state === 'congested')
    assert.ok(handled <= 12, `${handled} requests of 10,000 bytes are being handled`)
    await settled(() => {
      for (const release of parked.splice(0)) release()
      return handled === requests
    })
    for (const release of parked.splice(0)) release()
    await peer.received(requests)
    assert.equal([...server.connections][0]?.inFlightBytes, 0)
    await cleanup.close()
  }
})

test('a connection without a byte in either direction is closed after the idle time', async t => {
  const cleanup = new Cleanup(t)
  const clock = new ManualClock()
  const { server, port } = await startServer(cleanup, { clock })
  echoing(server)
  const peer = cleanup.add(await RawPeer.connect(port))
  peer.send(requestFrame(ECHO, 1))
  await peer.received(1)
  const silent = cleanup.add(await RawPeer.connect(port))
  clock.advance(119_000)
  peer.send(requestFrame(ECHO, 2))
  await peer.received(2)
  clock.advance(119_000)
  await silent.closed
  assert.equal(server.connectionCount, 1)
  clock.advance(2_000)
  await peer.closed
  await settled(() => server.connectionCount === 0)
  await cleanup.close()
  assert.equal(clock.pendingCount, 0)
})

test('requests newer than 5.3.1 are sent away while the server goes away, older ones are served', async t => {
  const cleanup = new Cleanup(t)
  const { server, port } = await startServer(cleanup)
  echoing(server)
  server.router.goAway()
  const peer = cleanup.add(await RawPeer.connect(port))
  peer.send(requestFrame(ECHO, 1))
  peer.send(requestFrame(ECHO, 2, undefined, {}, 475))
  await peer.received(2)
  assert.deepEqual(
    peer.frames.map(({ code, remark }) => [code, remark]),
    [
      [1500, 'please go away'],
      [0, undefined],
    ],
  )
  await cleanup.close()
})
