import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { formatHost } from '@rocketmq-ts/model'
import { requestCommand, responseCommand } from '@rocketmq-ts/protocol'
import { type RpcServer, type ServerTlsOptions, selfSignedCertificate } from '@rocketmq-ts/remoting/internal'
import { realDisk, systemClock } from '@rocketmq-ts/runtime'
import { ManualClock } from '@rocketmq-ts/testing'
import { settled } from './settled.ts'
import { Cleanup, RawPeer, requestFrame, startClient, startServer } from './support.ts'

const WHO = 9

/** Answers where the caller comes from. */
function tellingWho(server: RpcServer): void {
  server.router.handleRaw(WHO, (command, connection) => {
    const facts: Record<string, string> = { shown: connection.remoteAddress, stored: formatHost(connection.remoteHost) }
    for (const [name, value] of connection.attributes) facts[name] = String(value)
    connection.respond(command, responseCommand(command, 0, undefined, facts))
  })
}

function temporaryDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'rocketmq-tls-'))
  t.after(() => rmSync(directory, { recursive: true }))
  return directory
}

function writeCertificate(directory: string, name: string) {
  const { key, cert } = selfSignedCertificate(systemClock.now())
  const keyPath = join(directory, `${name}.key`)
  const certPath = join(directory, `${name}.pem`)
  writeFileSync(keyPath, key)
  writeFileSync(certPath, cert)
  return { keyPath, certPath, cert }
}

async function startTls(t: TestContext, tls: ServerTlsOptions) {
  const cleanup = new Cleanup(t)
  const started = await startServer(cleanup, { tls })
  tellingWho(started.server)
  const plain = startClient(cleanup)
  const secure = startClient(cleanup, { tls: {} })
  return { ...started, cleanup, plain, secure }
}

test('out of the box a server speaks plain and TLS on one port', async t => {
  const { plain, secure, address, cleanup } = await startTls(t, {})
  assert.equal((await plain.invoke(address, requestCommand(WHO))).code, 0)
  assert.equal((await secure.invoke(address, requestCommand(WHO))).code, 0)
  await cleanup.close()
})

test('with TLS disabled a TLS client is turned away and a plain one is served', async t => {
  const { plain, secure, address, cleanup } = await startTls(t, { mode: 'disabled' })
  assert.equal((await plain.invoke(address, requestCommand(WHO))).code, 0)
  await assert.rejects(secure.invoke(address, requestCommand(WHO)), { code: 'CONNECT_FAILED' })
  await cleanup.close()
})

test('with TLS enforced a plain client is turned away and a TLS client is served', async t => {
  const { plain, secure, address, cleanup } = await startTls(t, { mode: 'enforcing' })
  await assert.rejects(plain.invoke(address, requestCommand(WHO)), { code: 'CONNECTION_CLOSED' })
  assert.equal((await secure.invoke(address, requestCommand(WHO))).code, 0)
  await cleanup.close()
})

test('a client that checks the server accepts the certificate it trusts and no other', async t => {
  const directory = temporaryDirectory(t)
  const right = writeCertificate(directory, 'right')
  const wrong = writeCertificate(directory, 'wrong')
  const { address, cleanup } = await startTls(t, { disk: realDisk, keyPath: right.keyPath, certPath: right.certPath })
  const checking = { disk: realDisk, authServer: true, checkHostName: true }
  const good = startClient(cleanup, { tls: { ...checking, trustCertPath: right.certPath } })
  assert.equal((await good.invoke(address, requestCommand(WHO))).code, 0)
  const bad = startClient(cleanup, { tls: { ...checking, trustCertPath: wrong.certPath } })
  await assert.rejects(bad.invoke(address, requestCommand(WHO)), { code: 'CONNECT_FAILED' })
  await cleanup.close()
})

test('a server that requires a client certificate serves the one it trusts and no other', async t => {
  const directory = temporaryDirectory(t)
  const server = writeCertificate(directory, 'server')
  const known = writeCertificate(directory, 'known')
  const unknown = writeCertificate(directory, 'unknown')
  const { address, cleanup, secure } = await startTls(t, {
    disk: realDisk,
    keyPath: server.keyPath,
    certPath: server.certPath,
    trustCertPath: known.certPath,
    needClientAuth: 'require',
    authClient: true,
  })
  const withCertificate = ({ keyPath, certPath }: { keyPath: string; certPath: string }) =>
    startClient(cleanup, { tls: { disk: realDisk, keyPath, certPath } })
  assert.equal((await withCertificate(known).invoke(address, requestCommand(WHO))).code, 0)
  await assert.rejects(withCertificate(unknown).invoke(address, requestCommand(WHO)))
  await assert.rejects(secure.invoke(address, requestCommand(WHO)))
  await cleanup.close()
})

test('an optional client certificate may be missing, but not be wrong', async t => {
  const directory = temporaryDirectory(t)
  const server = writeCertificate(directory, 'server')
  const unknown = writeCertificate(directory, 'unknown')
  const { address, cleanup, secure } = await startTls(t, {
    disk: realDisk,
    keyPath: server.keyPath,
    certPath: server.certPath,
    trustCertPath: server.certPath,
    needClientAuth: 'optional',
    authClient: true,
  })
  assert.equal((await secure.invoke(address, requestCommand(WHO))).code, 0)
  const stranger = startClient(cleanup, {
    tls: { disk: realDisk, keyPath: unknown.keyPath, certPath: unknown.certPath },
  })
  await assert.rejects(stranger.invoke(address, requestCommand(WHO)))
  await cleanup.close()
})

function shownCertificate(port: number): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      const certificate = socket.getPeerX509Certificate()
      socket.destroy()
      if (certificate === undefined) reject(new Error('no certificate'))
      else resolve(certificate)
    })
    socket.once('error', reject)
  })
}

test('changed certificate files are in use after the next look, and unusable ones change nothing', async t => {
  const directory = temporaryDirectory(t)
  const clock = new ManualClock()
  const cleanup = new Cleanup(t)
  const first = writeCertificate(directory, 'server')
  const { keyPath, certPath } = first
  const { port } = await startServer(cleanup, {
    clock,
    tls: { disk: realDisk, keyPath, certPath, reloadPeriodMs: 1_000 },
  })
  const shows = async (cert: string) =>
    assert.ok((await shownCertificate(port)).raw.equals(new X509Certificate(cert).raw))
  await shows(first.cert)
  writeFileSync(certPath, 'half a certificate')
  clock.advance(1_000)
  await shows(first.cert)
  const second = writeCertificate(directory, 'server')
  clock.advance(1_000)
  await shows(second.cert)
  await cleanup.close()
  assert.equal(clock.pendingCount, 0)
})

test('a certificate file that is missing or unusable is an error at the start', async t => {
  const directory = temporaryDirectory(t)
  const { keyPath, certPath } = writeCertificate(directory, 'server')
  const cleanup = new Cleanup(t)
  const start = (tls: ServerTlsOptions) => startServer(cleanup, { tls })
  await assert.rejects(start({ disk: realDisk, keyPath, certPath: join(directory, 'absent.pem') }), {
    code: 'CONFIG_INVALID',
  })
  await assert.rejects(start({ disk: realDisk, keyPath: certPath, certPath }), { code: 'CONFIG_INVALID' })
  await cleanup.close()
})

test('a TLS hello that breaks off and one that is garbage are closed', async t => {
  const { port, cleanup, server, plain, address } = await startTls(t, {})
  const peer = cleanup.add(await RawPeer.connect(port))
  peer.send(Buffer.concat([Buffer.from([0x16]), Buffer.alloc(100, 0x55)]))
  await peer.closed
  assert.equal((await plain.invoke(address, requestCommand(WHO))).code, 0)
  assert.equal(server.connectionCount, 1)
  await cleanup.close()
})

const v1 = Buffer.from('PROXY TCP4 203.0.113.7 10.0.0.1 56324 10911\r\n')
const v2 = Buffer.from('0d0a0d0a000d0a515549540a2111000f' + 'cb0071070a000001dc042a9f' + 'e00000', 'hex')

test('a PROXY header changes the address that is shown, not the one that is stored, whole or byte by byte', async t => {
  const cleanup = new Cleanup(t)
  const { server, port } = await startServer(cleanup)
  tellingWho(server)
  for (const header of [v1, v2]) {
    for (const step of [1, 10_000]) {
      const peer = cleanup.add(await RawPeer.connect(port))
      const bytes = Buffer.concat([header, requestFrame(WHO, 7)])
      for (let at = 0; at < bytes.length; at += step) {
        peer.send(bytes.subarray(at, at + step))
        await new Promise<void>(resolve => setImmediate(resolve))
      }
      await peer.received(1)
      const facts = peer.frames[0]?.extFields
      assert.equal(facts?.shown, '203.0.113.7:56324')
      assert.equal(facts?.stored, `127.0.0.1:${peer.socket.localPort}`)
      assert.equal(facts?.proxy_protocol_addr, '203.0.113.7')
      assert.equal(facts?.proxy_protocol_server_port, '10911')
    }
  }
  await cleanup.close()
})

test('a PROXY header may come before a TLS hello', async t => {
  const cleanup = new Cleanup(t)
  const { server, port } = await startServer(cleanup, { tls: { mode: 'enforcing' } })
  tellingWho(server)
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(v2)
      const secure = connectTls({ socket, rejectUnauthorized: false }, () => secure.write(requestFrame(WHO, 1)))
      secure.once('data', chunk => {
        resolve(chunk.toString('latin1'))
        secure.destroy()
      })
      secure.once('error', reject)
    })
  })
  assert.match(answer, /"shown":"203\.0\.113\.7:56324"/)
  await cleanup.close()
})

test('a malformed PROXY header, and nothing said for the idle time, close the connection', async t => {
  const cleanup = new Cleanup(t)
  const clock = new ManualClock()
  const { port, server } = await startServer(cleanup, { clock })
  const malformed = cleanup.add(await RawPeer.connect(port))
  malformed.send(Buffer.from('PROXY TCP4 nobody 10.0.0.1 1 2\r\n'))
  await malformed.closed
  const half = cleanup.add(await RawPeer.connect(port))
  half.send(Buffer.from('PROX'))
  const silent = cleanup.add(await RawPeer.connect(port))
  let gone = 0
  void half.closed.then(() => gone++)
  void silent.closed.then(() => gone++)
  // The server may learn of the connections later than the clients do.
  await settled(() => {
    clock.advance(60_000)
    return gone === 2
  })
  assert.equal(server.connectionCount, 0)
  await cleanup.close()
})
