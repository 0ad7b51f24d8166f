import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** A key and a certificate that signs itself, both PEM. */
export interface SelfSignedCertificate {
  readonly key: string
  readonly cert: string
}

const DAY_MS = 86_400_000
const VALID_DAYS = 3_650

const oids = {
  ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
  commonName: [0x55, 0x04, 0x03],
  subjectAltName: [0x55, 0x1d, 0x11],
}
const tags = {
  integer: 2,
  bitString: 3,
  octetString: 4,
  oid: 6,
  utf8: 12,
  sequence: 48,
  set: 49,
  utcTime: 23,
  time: 24,
}

/**
 * Makes an EC P-256 key and a certificate for `localhost` and 127.0.0.1, valid for ten years around `nowMs`. It proves
 * nothing to anybody: it is for test mode, in which clients trust every server (Java's default on both sides).
 */
export function selfSignedCertificate(nowMs: number): SelfSignedCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = der(tags.sequence, der(tags.oid, Buffer.from(oids.ecdsaWithSha256)))
  const tbs = der(
    tags.sequence,
    der(0xa0, der(tags.integer, Buffer.from([2]))),
    der(tags.integer, serialNumber()),
    algorithm,
    commonName('localhost'),
    der(tags.sequence, derTime(nowMs - DAY_MS), derTime(nowMs + VALID_DAYS * DAY_MS)),
    commonName('localhost'),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(tags.sequence, subjectAltNames())),
  )
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', tbs, privateKey)])
  const certificate = der(tags.sequence, tbs, algorithm, der(tags.bitString, signature))
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}

function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  const { length } = content
  const head =
    length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(head), content])
}

/** Positive, and of full length: the first byte is neither 0 nor above 0x7f. */
function serialNumber(): Buffer {
  const serial = randomBytes(16)
  serial[0] = 0x40 | ((serial[0] as number) & 0x3f)
  return serial
}

function commonName(name: string): Buffer {
  const attribute = der(tags.sequence, der(tags.oid, Buffer.from(oids.commonName)), der(tags.utf8, Buffer.from(name)))
  return der(tags.sequence, der(tags.set, attribute))
}

function subjectAltNames(): Buffer {
  const names = der(tags.sequence, der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])))
  return der(tags.sequence, der(tags.oid, Buffer.from(oids.subjectAltName)), der(tags.octetString, names))
}

/** Years from 2050 on need the long form. */
function derTime(timeMs: number): Buffer {
  const text = new Date(timeMs).toISOString().replace(/[-:T]|\.\d+/g, '')
  return text < '2050' ? der(tags.utcTime, Buffer.from(text.slice(2))) : der(tags.time, Buffer.from(text))
}
