import { closeSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/**
 * Unpacks a gzipped GNU tar archive, with long names (type L) and old-style sparse files (type S), whose header lists
 * pieces of (offset, length) of the file and gives its real size; holes stay holes.
 */
export function unpackSparseTar(archive: Buffer, directory: string): void {
  const bytes = gunzipSync(archive)
  let at = 0
  let longName: string | undefined
  while (at + 512 <= bytes.length && bytes[at] !== 0) {
    const header = bytes.subarray(at, at + 512)
    const type = String.fromCharCode(header[156]!)
    const size = octal(header, 124, 12)
    at += 512
    const pieces = type === 'S' ? sparsePieces(bytes, at - 512) : { list: [[0, size] as const], extensions: 0 }
    at += pieces.extensions * 512
    const data = bytes.subarray(at, at + size)
    at += Math.ceil(size / 512) * 512
    if (type === 'L') {
      longName = text(data, 0, data.length)
      continue
    }
    const name = longName ?? fullName(header)
    longName = undefined
    const path = join(directory, name)
    if (type === '5') mkdirSync(path, { recursive: true })
    else writeFile(path, type === 'S' ? octal(header, 483, 12) : size, pieces.list, data)
  }
}

function fullName(header: Buffer): string {
  const isUstar = text(header, 257, 6) === 'ustar'
  const prefix = isUstar && header[263] === 0x30 ? text(header, 345, 155) : ''
  return prefix === '' ? text(header, 0, 100) : `${prefix}/${text(header, 0, 100)}`
}

function sparsePieces(bytes: Buffer, headerAt: number): { list: (readonly [number, number])[]; extensions: number } {
  const list: (readonly [number, number])[] = []
  const add = (from: number, count: number) => {
    for (let i = 0; i < count; i++) {
      const at = from + i * 24
      if (bytes[at] === 0) return
      list.push([octal(bytes, at, 12), octal(bytes, at + 12, 12)])
    }
  }
  add(headerAt + 386, 4)
  let extensions = 0
  let isExtended = bytes[headerAt + 482] === 1
  while (isExtended) {
    const at = headerAt + 512 * (1 + extensions)
    add(at, 21)
    isExtended = bytes[at + 504] === 1
    extensions++
  }
  return { list, extensions }
}

function writeFile(path: string, size: number, pieces: readonly (readonly [number, number])[], data: Buffer): void {
  mkdirSync(dirname(path), { recursive: true })
  const fd = openSync(path, 'w')
  try {
    let from = 0
    for (const [offset, length] of pieces) {
      if (length > 0) writeSync(fd, data, from, length, offset)
      from += length
    }
    ftruncateSync(fd, size)
  } finally {
    closeSync(fd)
  }
}

function text(bytes: Buffer, at: number, length: number): string {
  const end = bytes.indexOf(0, at)
  return bytes.toString('utf8', at, end < 0 || end > at + length ? at + length : end)
}

function octal(bytes: Buffer, at: number, length: number): number {
  const digits = text(bytes, at, length).trim()
  return digits === '' ? 0 : Number.parseInt(digits, 8)
}
