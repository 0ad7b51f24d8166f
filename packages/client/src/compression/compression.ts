import { deflateSync, inflateSync } from 'node:zlib'
import { type CompressionType, compressionFlag, compressionTypeOf, sysFlag } from '@rocketmq-ts/model'
import { RocketMqError } from '@rocketmq-ts/runtime'
import { compressLz4Frame, decompressLz4Frame } from './lz4-frame.ts'
import { decompressZstd, loadZstdCompressor } from './zstd.ts'

/** Compresses bodies in one format. */
export interface Compressor {
  readonly type: CompressionType
  /** What to set in `sysFlag` of a message whose body went through {@link compress}. */
  readonly sysFlag: number
  compress(body: Buffer): Buffer
}

/** Bound of a decompressed body when the caller gives none: far above what brokers accept, far below what hurts. */
export const decompressedLimitBytes = 32 << 20

/**
 * A compressor in the exact formats of the Java client: a zlib stream, an LZ4 frame, a Zstandard frame. `level` is zlib's
 * 0 to 9, or Zstandard's 1 to 22; LZ4 has none. Resolves when its code is loaded.
 * Source: CompressorFactory, 5.3.x
 */
export async function createCompressor(type: CompressionType, level: number): Promise<Compressor> {
  const flag = sysFlag.compressed | compressionFlag(type)
  switch (type) {
    case 'ZLIB':
      return { type, sysFlag: flag, compress: body => deflateSync(body, { level: Math.min(9, level) }) }
    case 'LZ4':
      return { type, sysFlag: flag, compress: compressLz4Frame }
    case 'ZSTD': {
      const compress = await loadZstdCompressor()
      return { type, sysFlag: flag, compress: body => compress(body, Math.max(1, level)) }
    }
  }
}

/**
 * A message's body as its producer had it: `body` itself when `flags` (sysFlag) has no compression bit, else decompressed.
 * Throws `DECOMPRESS_FAILED` when the bytes aren't what the flags say, or more than `limitBytes` come out.
 */
export function decompressBody(body: Buffer, flags: number, limitBytes = decompressedLimitBytes): Buffer {
  if ((flags & sysFlag.compressed) === 0) return body
  const type = compressionTypeOf(flags)
  try {
    switch (type) {
      case 'ZLIB':
        return inflateSync(body, { maxOutputLength: limitBytes })
      case 'LZ4':
        return decompressLz4Frame(body, limitBytes)
      case 'ZSTD':
        return decompressZstd(body, limitBytes)
      default:
        throw new Error(`unknown compression bits 0x${(flags & sysFlag.compressionMask).toString(16)}`)
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new RocketMqError('DECOMPRESS_FAILED', `a body of ${body.length} bytes can't be decompressed: ${why}`, {
      cause,
      details: { type, bytes: body.length, limitBytes },
    })
  }
}
