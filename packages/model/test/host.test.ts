import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  chooseLocalAddress,
  formatAddress,
  formatHost,
  hostsEqual,
  isPrivateAddress,
  parseAddress,
  parseHost,
} from '@rocketmq-ts/model'
import { RocketMqError } from '@rocketmq-ts/runtime'
import fc from 'fast-check'

const hexOf = (text: string) => parseAddress(text)?.toString('hex')

describe('addresses', () => {
  test('IPv4 and all forms of IPv6 are read', () => {
    assert.equal(hexOf('10.0.255.1'), '0a00ff01')
    assert.equal(hexOf('::'), '0'.repeat(32))
    assert.equal(hexOf('::1'), `${'0'.repeat(31)}1`)
    assert.equal(hexOf('1::'), `0001${'0'.repeat(28)}`)
    assert.equal(hexOf('2001:db8::1:2'), '20010db8000000000000000000010002')
    assert.equal(hexOf('2001:0DB8:0:0:0:0:1:2'), '20010db8000000000000000000010002')
    assert.equal(hexOf('::ffff:1.2.3.4'), '00000000000000000000ffff01020304')
    assert.equal(hexOf('fe80::1%eth0'), 'fe800000000000000000000000000001')
  })

  test('what is no address is not', () => {
    const bad = [
      '',
      '1.2.3',
      '1.2.3.256',
      '1.2.3.4.5',
      '01234.1.1.1',
      'localhost',
      ':',
      ':::',
      '1::2::3',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '1:2:3:4:5:6:7::8',
      'g::',
      '12345::',
      '1.2.3.4::',
      '::1.2.3',
      '1:2:3:4:5:6:7:1.2.3.4',
    ]
    for (const text of bad) assert.equal(parseAddress(text), undefined, text)
  })

  test('texts come back', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), text => {
        const address = parseAddress(text)
        assert.ok(address !== undefined, text)
        assert.deepEqual(parseAddress(formatAddress(address)), address)
      }),
      { seed: 2, numRuns: 500 },
    )
  })

  test('unique-local IPv6 counts as public, as in Java', () => {
    const cases: [string, boolean][] = [
      ['::', true],
      ['::1', true],
      ['fe80::1', true],
      ['febf::1', true],
      ['fec0::1', true],
      ['fd00::1', false],
      ['fc00::1', false],
      ['2001:db8::1', false],
      ['::2', false],
      ['ff02::1', false],
    ]
    for (const [text, expected] of cases) assert.equal(isPrivateAddress(parseAddress(text)!), expected, text)
  })

  test('a machine goes by its first public address, else a private one, else loopback', () => {
    const choose = (...texts: string[]) => {
      const chosen = chooseLocalAddress(texts.map(text => parseAddress(text)!))
      return chosen === undefined ? undefined : formatAddress(chosen)
    }
    assert.equal(choose('127.0.0.1', '10.0.0.1', '8.8.8.8', '9.9.9.9'), '8.8.8.8')
    assert.equal(choose('127.0.0.1', '10.0.0.1', '10.0.0.2'), '10.0.0.1')
    assert.equal(choose('127.0.0.1', '::1'), '127.0.0.1')
    assert.equal(choose('10.0.0.1', 'fd00::1'), 'fd00:0:0:0:0:0:0:1')
    assert.equal(choose('::1', 'fe80::1'), undefined)
  })
})

describe('hosts', () => {
  test('are read and written, IPv6 in brackets', () => {
    assert.equal(formatHost(parseHost('1.2.3.4:5')), '1.2.3.4:5')
    assert.equal(formatHost(parseHost('[::1]:10911')), '[0:0:0:0:0:0:0:1]:10911')
    assert.equal(formatHost(parseHost('fe80::1:2:10911')), '[fe80:0:0:0:0:0:1:2]:10911')
    assert.equal(parseHost('0.0.0.0:65535').port, 65535)
  })

  test('names, missing and impossible ports are refused', () => {
    for (const text of [
      '',
      ':1',
      '1.2.3.4',
      '1.2.3.4:',
      '1.2.3.4:65536',
      '1.2.3.4:-1',
      'localhost:1',
      '[::1]',
      '[1.2.3.4:5',
    ]) {
      assert.throws(
        () => parseHost(text),
        (error: unknown) => RocketMqError.is(error) && error.code === 'INVALID_ARGUMENT',
        text,
      )
    }
  })

  test('are equal by address and port', () => {
    assert.ok(hostsEqual(parseHost('1.2.3.4:5'), parseHost('1.2.3.4:5')))
    assert.ok(!hostsEqual(parseHost('1.2.3.4:5'), parseHost('1.2.3.4:6')))
    assert.ok(!hostsEqual(parseHost('1.2.3.4:5'), parseHost('1.2.3.5:5')))
  })
})
