import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as protocol from '@rocketmq-ts/protocol'
import {
  type Api,
  decodeFrame,
  decodeHeader,
  defineHeader,
  encodeHeader,
  optional,
  RequestCode,
  required,
} from '@rocketmq-ts/protocol'
import { goldenVectors, type RecordedCall } from './golden.ts'

const sample = defineHeader('SampleHeader', {
  topic: required.string(),
  queueId: required.int32(),
  offset: required.int64(),
  until: optional.int64Clamped(),
  force: optional.boolean(false),
  kind: optional.enumeration(['LOWER', 'UPPER']),
  note: optional.string(),
})

describe('header descriptor', () => {
  const full = { topic: 'T', queueId: -1, offset: 2 ** 53 - 1, until: 5, force: true, kind: 'UPPER' as const, note: '' }

  test('a header survives flattening', () => {
    const extFields = encodeHeader(sample, full)
    assert.deepEqual(Object.keys(extFields), ['topic', 'queueId', 'offset', 'until', 'force', 'kind', 'note'])
    assert.equal(extFields.offset, '9007199254740991')
    assert.deepEqual(decodeHeader(sample, extFields), full)
  })

  test('absent optional fields are left out, and read as undefined or their default', () => {
    const extFields = encodeHeader(sample, { topic: 'T', queueId: 0, offset: 0 })
    assert.deepEqual(extFields, { topic: 'T', queueId: '0', offset: '0' })
    const header = decodeHeader(sample, { ...extFields, until: '' })
    assert.deepEqual(header, {
      topic: 'T',
      queueId: 0,
      offset: 0,
      until: undefined,
      force: false,
      kind: undefined,
      note: undefined,
    })
  })

  const good = { topic: 'T', queueId: '0', offset: '0' }
  const bad: [Record<string, string> | undefined, string][] = [
    [undefined, 'topic'],
    [{ queueId: '0', offset: '0' }, 'topic'],
    [{ ...good, queueId: '' }, 'queueId'],
    [{ ...good, queueId: 'x' }, 'queueId'],
    [{ ...good, queueId: '1.0' }, 'queueId'],
    [{ ...good, queueId: '0x10' }, 'queueId'],
    [{ ...good, queueId: ' 1' }, 'queueId'],
    [{ ...good, queueId: '2147483648' }, 'queueId'],
    [{ ...good, offset: '9007199254740992' }, 'offset'],
    [{ ...good, offset: '99999999999999999999' }, 'offset'],
    [{ ...good, kind: 'MIDDLE' }, 'kind'],
    [{ ...good, until: 'soon' }, 'until'],
  ]
  for (const [extFields, field] of bad) {
    test(`${JSON.stringify(extFields)} is refused, naming ${field}`, () => {
      assert.throws(() => decodeHeader(sample, extFields), {
        code: 'HEADER_INVALID',
        message: new RegExp(`SampleHeader\\.${field} `),
        details: { header: 'SampleHeader', field },
      })
    })
  }

  test('values beyond 2^53 - 1 are clamped where they mean "no bound"', () => {
    assert.equal(decodeHeader(sample, { ...good, until: '9223372036854775807' }).until, Number.MAX_SAFE_INTEGER)
    assert.equal(decodeHeader(sample, { ...good, until: '-9223372036854775808' }).until, Number.MIN_SAFE_INTEGER)
  })

  test('booleans and names of enumerations are read in any letter case, and booleans never fail', () => {
    assert.equal(decodeHeader(sample, { ...good, force: 'TRUE', kind: 'lower' }).kind, 'LOWER')
    assert.equal(decodeHeader(sample, { ...good, force: 'TRUE' }).force, true)
    assert.equal(decodeHeader(sample, { ...good, force: 'yes' }).force, false)
  })

  test('a sender that forgets a mandatory field or overflows a number is told so', () => {
    assert.throws(() => encodeHeader(sample, { topic: 'T', queueId: 1 } as never), { code: 'INVALID_ARGUMENT' })
    assert.throws(() => encodeHeader(sample, { topic: 'T', queueId: 2 ** 31, offset: 0 }), /SampleHeader\.queueId/)
    assert.throws(() => encodeHeader(sample, { topic: 'T', queueId: 1, offset: 2 ** 53 }), /SampleHeader\.offset/)
  })
})

function isApi(value: unknown): value is Api {
  return typeof value === 'object' && value !== null && 'code' in value && 'request' in value && 'response' in value
}
const apis = new Map(
  Object.values(protocol)
    .filter(isApi)
    .map(api => [api.code, api]),
)

/** Made by hand without any field, to see that a broker doesn't serve them. */
const withoutMandatoryFields = new Set([
  'to_broker_broker_heartbeat_request_code_not_supported',
  'to_broker_get_broker_member_group_request_code_not_supported',
])

describe('request codes', () => {
  test('every declaration has the number of its name, and numbers are declared once', () => {
    const declared = Object.values(protocol).filter(isApi)
    assert.equal(apis.size, declared.length)
    for (const api of declared) assert.equal(RequestCode[api.name as keyof typeof RequestCode], api.code, api.name)
  })

  for (const { name, hex, responseHex } of goldenVectors<RecordedCall>('recorded.json')) {
    test(`${name} decodes through its declaration`, () => {
      const frame = Buffer.from(hex, 'hex')
      const request = decodeFrame(frame, 4, frame.length)
      const api = apis.get(request.code)
      if (api === undefined) return assert.match(name, /_request_code_not_supported$/)
      if (withoutMandatoryFields.has(name)) {
        assert.throws(() => decodeHeader(api.request, request.extFields), { code: 'HEADER_INVALID' })
        return
      }
      const header = decodeHeader(api.request, request.extFields)
      const again = encodeHeader(api.request, header as never)
      for (const [field, given] of Object.entries(request.extFields ?? {})) {
        const isClamped = /^-?\d{16,}$/.test(given)
        if (field in api.request.fields && !isClamped) assert.equal(again[field], given, field)
      }
      if (responseHex === undefined) return
      const responseFrame = Buffer.from(responseHex, 'hex')
      const response = decodeFrame(responseFrame, 4, responseFrame.length)
      if (response.code === 0) decodeHeader(api.response, response.extFields)
    })
  }
})
