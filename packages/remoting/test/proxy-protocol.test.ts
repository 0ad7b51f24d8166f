import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detectProxyHeader, type ProxyHeader, proxyAttributes } from '@rocketmq-ts/remoting/internal'

const signature = Buffer.from('0d0a0d0a000d0a515549540a', 'hex')

function v2(versionAndCommand: number, family: number, rest: Buffer): Buffer {
  const fixed = Buffer.alloc(4)
  fixed.writeUInt8(versionAndCommand, 0)
  fixed.writeUInt8(family, 1)
  fixed.writeUInt16BE(rest.length, 2)
  return Buffer.concat([signature, fixed, rest])
}

const addresses4 = Buffer.from('cb0071070a000001dc042a9f', 'hex')

test('every beginning of a header waits for more, and the whole is a header', () => {
  const headers = [
    Buffer.from('PROXY TCP4 203.0.113.7 10.0.0.1 56324 10911\r\n'),
    Buffer.from('PROXY UNKNOWN\r\n'),
    v2(0x21, 0x11, Buffer.concat([addresses4, Buffer.from('0200036f6e65', 'hex')])),
  ]
  for (const header of headers) {
    for (let length = 0; length < header.length; length++) {
      assert.equal(detectProxyHeader(header.subarray(0, length)), 'more', `${length} of ${header.length}`)
    }
    const found = detectProxyHeader(Buffer.concat([header, Buffer.from('after')])) as ProxyHeader
    assert.equal(found.length, header.length)
  }
})

test('version 1 names source and destination', () => {
  const header = detectProxyHeader(Buffer.from('PROXY TCP6 2001:db8::1 ::1 65535 1\r\n')) as ProxyHeader
  assert.deepEqual(header.source, { ip: '2001:db8::1', port: 65535 })
  assert.deepEqual(header.destination, { ip: '::1', port: 1 })
})

test('version 2 names source and destination, and its TLVs become attributes by the names that Java gives', () => {
  const tlvs = Buffer.concat([Buffer.from('e000036f6e65', 'hex'), Buffer.from('0200020001', 'hex')])
  const header = detectProxyHeader(v2(0x21, 0x11, Buffer.concat([addresses4, tlvs]))) as ProxyHeader
  assert.deepEqual(
    proxyAttributes(header),
    new Map([
      ['proxy_protocol_addr', '203.0.113.7'],
      ['proxy_protocol_port', '56324'],
      ['proxy_protocol_server_addr', '10.0.0.1'],
      ['proxy_protocol_server_port', '10911'],
      ['proxy_protocol_tlv_0xe0', 'one'],
    ]),
  )
})

test('IPv6 in version 2, LOCAL, and families that are no IP', () => {
  const addresses6 = Buffer.concat([
    Buffer.alloc(15),
    Buffer.from([1]),
    Buffer.alloc(16, 0xfe),
    Buffer.from('00010002', 'hex'),
  ])
  const six = detectProxyHeader(v2(0x21, 0x21, addresses6)) as ProxyHeader
  assert.deepEqual(six.source, { ip: '0:0:0:0:0:0:0:1', port: 1 })
  const local = detectProxyHeader(v2(0x20, 0x00, Buffer.alloc(0))) as ProxyHeader
  assert.equal(local.source, undefined)
  const unix = detectProxyHeader(v2(0x21, 0x31, Buffer.alloc(216))) as ProxyHeader
  assert.equal(unix.source, undefined)
})

test('what can never become a readable header is told apart at once', () => {
  assert.equal(detectProxyHeader(Buffer.from([0x00, 0x00, 0x01])), 'none')
  assert.equal(detectProxyHeader(Buffer.from('PRO!')), 'none')
  assert.equal(detectProxyHeader(Buffer.from('\r\n\r\n\0\r\nQUIT!')), 'none')
  assert.equal(detectProxyHeader(Buffer.from(`PROXY TCP4 ${'1'.repeat(200)}`)), 'invalid')
  assert.equal(detectProxyHeader(Buffer.from('PROXY TCP4 203.0.113.7 10.0.0.1 70000 1\r\n')), 'invalid')
  assert.equal(detectProxyHeader(Buffer.from('PROXY SCTP a b 1 2\r\n')), 'invalid')
  assert.equal(detectProxyHeader(v2(0x31, 0x11, addresses4)), 'invalid')
  assert.equal(detectProxyHeader(v2(0x21, 0x11, addresses4.subarray(4))), 'invalid')
  assert.equal(detectProxyHeader(v2(0x21, 0x11, Buffer.concat([addresses4, Buffer.from('0200ff', 'hex')]))), 'invalid')
  assert.equal(detectProxyHeader(v2(0x21, 0x11, Buffer.alloc(60_000))), 'invalid')
})
