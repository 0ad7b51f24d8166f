import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { decodeFrame, parseLenient, type RemotingCommand } from '@rocketmq-ts/protocol'
import type { Connection, Router } from '@rocketmq-ts/remoting'

/** A request and the answer of the Java broker to it. */
export interface RecordedCall {
  readonly name: string
  readonly request: RemotingCommand
  readonly response: RemotingCommand
}

function frameOf(hex: string): RemotingCommand {
  const bytes = Buffer.from(hex, 'hex')
  return decodeFrame(bytes, 4, bytes.length)
}

/** The administrative conversations with a Java broker. */
export function recordedCalls(): RecordedCall[] {
  const text = readFileSync(new URL('../../test/golden/recorded-admin.json', import.meta.url), 'utf8')
  const { vectors } = JSON.parse(text) as { vectors: { name: string; hex: string; responseHex: string }[] }
  return vectors.map(({ name, hex, responseHex }) => ({
    name,
    request: frameOf(hex),
    response: frameOf(responseHex),
  }))
}

/** The answer of a router to a request, as a client would get it. */
export function answerOf(router: Router, request: RemotingCommand): Promise<RemotingCommand> {
  return new Promise(resolve => {
    const connection = {
      remoteAddress: '127.0.0.1:55726',
      addInFlight: () => {},
      removeInFlight: () => {},
      respond: (_request: RemotingCommand, response: RemotingCommand, parts: readonly Buffer[] | undefined) => {
        if (parts !== undefined) response.body = Buffer.concat(parts)
        resolve(response)
      },
    }
    router.dispatch(request, connection as unknown as Connection, 0)
  })
}

/**
 * What a body looks like without its values: names and types, of lists and of maps with other names their first element.
 * `mapNames` are the places (names of the map's field) where names are values.
 */
export function shapeOf(value: unknown, mapNames: ReadonlySet<string>, name = ''): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0], mapNames)]
  if (typeof value === 'bigint') return 'number'
  if (typeof value !== 'object' || value === null) return typeof value
  const pairs: (readonly [unknown, unknown])[] = '$pairs' in value ? [...(value.$pairs as [])] : Object.entries(value)
  if (mapNames.has(name) || '$pairs' in value) {
    const [first] = pairs
    if (first === undefined) return { map: 'empty' }
    return { map: [shapeOf(first[0], mapNames), shapeOf(first[1], mapNames)] }
  }
  const sorted = pairs.map(([key, item]) => [String(key), item] as const).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([key, item]) => [key, shapeOf(item, mapNames, key)]))
}

/** Fails unless both answers have the same code, remark, header fields and shape of body. */
export function assertSameAnswer(
  actual: RemotingCommand,
  expected: RemotingCommand,
  mapNames: ReadonlySet<string>,
): void {
  assert.equal(actual.code, expected.code)
  assert.equal(actual.remark, expected.remark)
  assert.deepEqual(Object.keys(actual.extFields ?? {}).sort(), Object.keys(expected.extFields ?? {}).sort())
  assert.deepEqual(bodyShape(actual.body, mapNames), bodyShape(expected.body, mapNames))
}

function bodyShape(body: Buffer | undefined, mapNames: ReadonlySet<string>): unknown {
  if (body === undefined || body.length === 0) return undefined
  return body[0] === 0x7b ? shapeOf(parseLenient(body), mapNames) : 'bytes'
}
