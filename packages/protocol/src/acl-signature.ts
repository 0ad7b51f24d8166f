import { createHmac, timingSafeEqual } from 'node:crypto'
import type { ExtFields, RemotingCommand } from './command.ts'
import { versionGates } from './mq-version.ts'

/** Names of the ext fields that carry credentials. */
export const aclFields = { accessKey: 'AccessKey', signature: 'Signature', securityToken: 'SecurityToken' } as const

/** HMAC algorithms by Java's name; requests are signed with the first. */
const digests = { HmacSHA1: 'sha1', HmacSHA256: 'sha256', HmacMD5: 'md5' } as const

export type HmacAlgorithm = keyof typeof digests

export interface AclCredentials {
  accessKey: string
  secretKey: string
  securityToken?: string
}

/**
 * What a signature covers: the values, not the names, of all ext fields but the signature itself, by name in UTF-16 order,
 * then the body. Peers up to 4.9.3 leave the marker of unique-key queries out. Source: AclUtils#combineRequestContent, 5.3.x.
 */
export function signedContent(extFields: ExtFields, body: Buffer | undefined, version: number): Buffer {
  let text = ''
  for (const name of Object.keys(extFields).sort()) {
    if (name === aclFields.signature) continue
    if (name === '_UNIQUE_KEY_QUERY' && version <= versionGates.uniqueKeyUnsigned) continue
    text += extFields[name]!
  }
  const values = Buffer.from(text)
  return body === undefined ? values : Buffer.concat([values, body])
}

/** Base64 of the HMAC of `content`; `secretKey` as UTF-8. */
export function hmacSignature(content: Buffer, secretKey: string, algorithm: HmacAlgorithm = 'HmacSHA1'): string {
  return createHmac(digests[algorithm], secretKey).update(content).digest('base64')
}

/**
 * Adds access key, token and signature to the ext fields of a request that is otherwise ready to go: a field that is added
 * afterwards makes the signature wrong. Source: AclClientRPCHook#doBeforeRequest, 5.3.x.
 */
export function signRequest(command: RemotingCommand, credentials: AclCredentials): void {
  const extFields = command.extFields ?? {}
  extFields[aclFields.accessKey] = credentials.accessKey
  if (credentials.securityToken !== undefined) extFields[aclFields.securityToken] = credentials.securityToken
  // A client signs all it sends; only a server makes the exception for old peers.
  const content = signedContent(extFields, command.body, Number.MAX_SAFE_INTEGER)
  extFields[aclFields.signature] = hmacSignature(content, credentials.secretKey)
  command.extFields = extFields
}

/** Whether the signature of a request is right; false also when there is none. Takes the same time for every wrong one. */
export function isSignedWith(command: RemotingCommand, secretKey: string): boolean {
  const given = command.extFields?.[aclFields.signature]
  if (given === undefined) return false
  const expected = Buffer.from(
    hmacSignature(signedContent(command.extFields!, command.body, command.version), secretKey),
  )
  const actual = Buffer.from(given)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}
