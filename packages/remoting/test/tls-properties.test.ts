import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTlsProperties } from '@rocketmq-ts/remoting/internal'
import { realDisk } from '@rocketmq-ts/runtime'

const read = (entries: Record<string, string>) => readTlsProperties(new Map(Object.entries(entries)), realDisk)

test('without settings a server is permissive and in test mode, and a client speaks plain', () => {
  const { server, client } = read({ listenPort: '10911' })
  assert.equal(server.mode, 'permissive')
  assert.equal(server.testMode, true)
  assert.equal(server.needClientAuth, 'none')
  assert.equal(client, undefined)
})

test('the settings of both sides are read by the keys of Java', () => {
  const { server, client } = read({
    'tls.enable': 'true',
    'tls.test.mode.enable': 'false',
    'tls.server.mode': 'ENFORCING',
    'tls.server.need.client.auth': 'require',
    'tls.server.authClient': 'true',
    'tls.server.keyPath': '/etc/rmq/server.key',
    'tls.server.keyPassword': ' secret ',
    'tls.server.certPath': '/etc/rmq/server.pem',
    'tls.server.trustCertPath': '',
    'tls.client.authServer': 'true',
    'tls.client.trustCertPath': '/etc/rmq/ca.pem',
  })
  assert.deepEqual(server, {
    disk: realDisk,
    mode: 'enforcing',
    testMode: false,
    needClientAuth: 'require',
    authClient: true,
    keyPath: '/etc/rmq/server.key',
    keyPassword: 'secret',
    certPath: '/etc/rmq/server.pem',
    trustCertPath: undefined,
  })
  assert.equal(client?.authServer, true)
  assert.equal(client?.trustCertPath, '/etc/rmq/ca.pem')
})

test('in test mode a client trusts every server', () => {
  assert.equal(read({ 'tls.enable': 'true', 'tls.client.authServer': 'true' }).client?.authServer, false)
})

test('a mode that does not exist is an error that names the key', () => {
  assert.throws(() => read({ 'tls.server.mode': 'enforced' }), {
    code: 'CONFIG_INVALID',
    details: { key: 'tls.server.mode' },
  })
  assert.throws(() => read({ 'tls.server.need.client.auth': 'yes' }), { code: 'CONFIG_INVALID' })
})
