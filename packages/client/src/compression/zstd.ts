import zlib from 'node:zlib'
import { Decompress } from 'fzstd'

/** Zstandard as `node:zlib` has it since Node 22.15; absent in Node 20. */
interface NativeZstd {
  zstdCompressSync?(body: Buffer, options: { params: Record<number, number> }): Buffer
  zstdDecompressSync?(body: Buffer, options: { maxOutputLength: number }): Buffer
}
const native = zlib as unknown as NativeZstd
/** ZSTD_c_compressionLevel of zstd's own header. */
const compressionLevelParameter = 100

/** Largest window a frame may ask for: zstd's own default limit. */
const windowLimitBytes = 128 << 20

type Compressor = (body: Buffer, level: number) => Buffer

/** The compressor: node's own, or WebAssembly, which takes a moment to load. */
export async function loadZstdCompressor(): Promise<Compressor> {
  const { zstdCompressSync } = native
  if (zstdCompressSync) {
    return (body, level) => zstdCompressSync(body, { params: { [compressionLevelParameter]: level } })
  }
  return loadWasmZstdCompressor()
}

/** The WebAssembly one, whatever node has. */
export async function loadWasmZstdCompressor(): Promise<Compressor> {
  const { Zstd } = await import('@hpcc-js/wasm-zstd')
  const zstd = await Zstd.load()
  return (body, level) => {
    const bytes = zstd.compress(body, level)
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  }
}

/** The content of one or more frames. Throws an `Error` saying what is wrong; `limitBytes` bounds what comes out. */
export function decompressZstd(frame: Buffer, limitBytes: number): Buffer {
  if (native.zstdDecompressSync) return native.zstdDecompressSync(frame, { maxOutputLength: limitBytes })
  return decompressZstdPortably(frame, limitBytes)
}

/** The same without node's help. */
export function decompressZstdPortably(frame: Buffer, limitBytes: number): Buffer {
  if (windowBytesOf(frame) > windowLimitBytes) throw new Error('Zstandard frame asks for too large a window')
  const parts: Uint8Array[] = []
  let total = 0
  let isComplete = false
  const stream = new Decompress((part, isFinal) => {
    total += part.length
    if (total > limitBytes) throw new Error(`content is larger than ${limitBytes} bytes`)
    parts.push(part.slice())
    if (isFinal) isComplete = true
  })
  stream.push(frame, true)
  if (!isComplete) throw new Error('Zstandard frame is incomplete')
  return Buffer.concat(parts, total)
}

/**
 * The memory that a frame's header asks for: `[magic:4][descriptor:1][window:1]?[dictionary id]?[content size]?`.
 */
function windowBytesOf(frame: Buffer): number {
  if (frame.length < 9 || frame.readUInt32LE(0) !== 0xfd2fb528) throw new Error('not a Zstandard frame')
  const descriptor = frame[4]!
  const isSingleSegment = (descriptor & 0x20) !== 0
  if (!isSingleSegment) {
    const exponent = frame[5]! >> 3
    const base = 2 ** (10 + exponent)
    return base + (base / 8) * (frame[5]! & 7)
  }
  const sizeAt = 5 + [0, 1, 2, 4][descriptor & 3]!
  const sizeBytes = [1, 2, 4, 8][descriptor >> 6]!
  if (frame.length < sizeAt + sizeBytes) throw new Error('Zstandard frame ends in its header')
  let size = 0
  for (let i = sizeBytes - 1; i >= 0; i--) size = size * 256 + frame[sizeAt + i]!
  return size
}
