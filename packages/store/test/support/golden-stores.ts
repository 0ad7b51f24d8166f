import { createHash } from 'node:crypto'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { createStoreOptions, type StoreOptions, storeOptionTable } from '@rocketmq-ts/store'
import { unpackSparseTar } from './sparse-tar.ts'

const goldenDirectory = fileURLToPath(new URL('../../test/golden/', import.meta.url))

export interface GoldenQueue {
  readonly queueId: number
  readonly minOffset: number
  readonly maxOffset: number
  /** [timestamp, LOWER, UPPER] */
  readonly searchOffset: readonly (readonly [number, number, number])[]
  /** [queueOffset, physicalOffset, size, SHA-256 of the record] */
  readonly messages: readonly (readonly [number, number, number, string])[]
}

export interface GoldenTruth {
  readonly commitLog: { readonly minOffset: number; readonly maxOffset: number }
  readonly topics: Readonly<Record<string, readonly GoldenQueue[]>>
  /** [topic, key, physical offsets] */
  readonly indexQueries: readonly (readonly [string, string, readonly number[]])[]
}

type Edit =
  | { readonly deleted: string }
  | { readonly created: string; readonly size: number }
  | { readonly overwritten: string; readonly with: string }
  | { readonly truncated: string; readonly newSize: number }
  | { readonly file: string; readonly offset: number; readonly length: number; readonly newHex: string }
  | { readonly note: string }

export interface GoldenStore {
  readonly brokerConfig: Readonly<Record<string, string>>
  readonly derivedFrom?: string
  readonly edits?: readonly Edit[]
  readonly batchTopics: readonly string[]
  readonly filesAfterJavaRestart?: readonly (readonly [string, number, string])[]
  readonly truth?: GoldenTruth
}

export const goldenStores: Readonly<Record<string, GoldenStore>> = JSON.parse(
  brotliDecompressSync(readFileSync(join(goldenDirectory, 'truths.json.br'))).toString('utf8'),
)

/** Unpacks a store, with its damage, into a new temporary directory, which the caller removes. */
export function unpackGolden(name: string): string {
  const { derivedFrom, edits } = goldenStores[name]!
  const directory = mkdtempSync(join(tmpdir(), `store-${name}-`))
  unpackSparseTar(readFileSync(join(goldenDirectory, `${derivedFrom ?? name}.tar.gz`)), directory)
  for (const edit of edits ?? []) applyEdit(directory, edit)
  return directory
}

function applyEdit(directory: string, edit: Edit): void {
  if ('deleted' in edit) rmSync(join(directory, edit.deleted), { recursive: true })
  if ('created' in edit) writeFileSync(join(directory, edit.created), Buffer.alloc(edit.size))
  if ('overwritten' in edit) writeFileSync(join(directory, edit.overwritten), edit.with)
  if ('truncated' in edit) truncateSync(join(directory, edit.truncated), edit.newSize)
  if ('file' in edit) {
    // Of long changes only the first 64 bytes are written out; the only one there is puts zeros.
    const bytes = Buffer.alloc(edit.length)
    Buffer.from(edit.newHex.replace(/\.+$/, ''), 'hex').copy(bytes)
    const fd = openSync(join(directory, edit.file), 'r+')
    writeSync(fd, bytes, 0, bytes.length, edit.offset)
    closeSync(fd)
  }
}

/** The store's options as its broker.conf says. */
export function optionsOf(golden: GoldenStore): StoreOptions {
  const overrides: Record<string, unknown> = {}
  for (const [name, { key, defaultValue }] of Object.entries(storeOptionTable)) {
    const text = golden.brokerConfig[key]
    if (text === undefined) continue
    overrides[name] =
      typeof defaultValue === 'number' ? Number(text) : typeof defaultValue === 'boolean' ? text === 'true' : text
  }
  return createStoreOptions(overrides as Partial<StoreOptions>)
}

/** Relative paths of all files of a directory. */
export function filesUnder(directory: string, prefix = ''): string[] {
  return readdirSync(join(directory, prefix), { withFileTypes: true }).flatMap(entry => {
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`
    return entry.isDirectory() ? filesUnder(directory, path) : [path]
  })
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
