import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type HmacAlgorithm,
  hmacSignature,
  isSignedWith,
  requestCommand,
  signedContent,
  signRequest,
} from '@rocketmq-ts/protocol'
import { goldenVectors } from './golden.ts'

interface AclVector {
  name: string
  kind?: string
  accessKey: string
  secretKey: string
  securityToken: string | null
  code: number
  version: number
  extFieldsSorted: Record<string, string>
  bodyHex: string | null
  contentHex: string
  signature: string
  algorithm: HmacAlgorithm
  data: string
}

describe('request signatures made by Java', () => {
  for (const vector of goldenVectors<AclVector>('acl.json')) {
    test(`${vector.name} comes out the same`, () => {
      if (vector.kind === 'raw') {
        assert.equal(hmacSignature(Buffer.from(vector.data), vector.secretKey, vector.algorithm), vector.signature)
      } else if (vector.kind === 'serverContent') {
        const content = signedContent(vector.extFieldsSorted, undefined, vector.version)
        assert.equal(hmacSignature(content, vector.secretKey), vector.signature)
      } else {
        assertSigned(vector)
      }
    })
  }
})

function assertSigned(vector: AclVector): void {
  const { AccessKey: _key, SecurityToken: _token, ...fields } = vector.extFieldsSorted
  const body = vector.bodyHex === null ? undefined : Buffer.from(vector.bodyHex, 'hex')
  const request = requestCommand(vector.code, fields, body)
  request.version = vector.version
  const { accessKey, secretKey, securityToken } = vector
  signRequest(request, { accessKey, secretKey, ...(securityToken === null ? {} : { securityToken }) })
  assert.equal(request.extFields?.Signature, vector.signature)
  assert.equal(signedContent(request.extFields!, body, vector.version).toString('hex'), vector.contentHex)
  assert.ok(isSignedWith(request, secretKey))
  assert.ok(!isSignedWith(request, `${secretKey}x`))
  request.extFields!.added = 'later'
  assert.ok(!isSignedWith(request, secretKey))
}

test('a request without a signature is not signed', () => {
  assert.equal(isSignedWith(requestCommand(1), 'secret'), false)
})
