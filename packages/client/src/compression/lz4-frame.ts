import { createRequire } from 'node:module'
import { decodeLz4Block } from './lz4-block.ts'
import { xxh32 } from './xxh32.ts'

/**
 * LZ4 frames as lz4-java writes and reads them:
 * `[magic:4][flags:1][block size code:1][content size:8]?[header checksum:1]` blocks `[end mark 0:4][content checksum:4]?`,
 * a block being `[size:4][bytes][checksum:4]?` with bit 31 of the size set when stored as it is. All little-endian.
 */
const magic = 0x184d2204
const flags = { version: 0x40, versionMask: 0xc0, independent: 0x20, blockChecksum: 0x10, contentSize: 0x08 }
const contentChecksumFlag = 0x04
const dictionaryFlag = 0x01
const storedBit = 0x80000000
const maxBlockBytes = 4 << 20

type BlockCompressor = (input: Uint8Array) => Uint8Array
let compressBlock: BlockCompressor | undefined

/** The block compressor is loaded at its first use: most clients never compress with LZ4. */
function blockCompressor(): BlockCompressor {
  compressBlock ??= (createRequire(import.meta.url)('lz4-wasm-nodejs') as { compress: BlockCompressor }).compress
  return compressBlock
}

/** One frame of independent blocks of at most 4 MiB, without checksums of blocks or content. */
export function compressLz4Frame(body: Buffer): Buffer {
  const header = Buffer.from([0x04, 0x22, 0x4d, 0x18, flags.version | flags.independent, 0x70, 0])
  header[6] = (xxh32(header, 4, 6) >>> 8) & 0xff
  const parts: Uint8Array[] = [header]
  for (let start = 0; start < body.length; start += maxBlockBytes) {
    const block = body.subarray(start, Math.min(body.length, start + maxBlockBytes))
    // The compressor puts the block's length, which frames don't have, into four bytes before it.
    const compressed = blockCompressor()(block).subarray(4)
    const size = Buffer.allocUnsafe(4)
    const isStored = compressed.length >= block.length
    size.writeUInt32LE(isStored ? (storedBit | block.length) >>> 0 : compressed.length)
    parts.push(size, isStored ? block : compressed)
  }
  parts.push(Buffer.alloc(4))
  return Buffer.concat(parts)
}

/**
 * The content of one frame. Throws an `Error` saying what is wrong; `limitBytes` bounds what comes out.
 * Blocks must be independent, as for lz4-java's reader.
 */
export function decompressLz4Frame(frame: Buffer, limitBytes: number): Buffer {
  if (frame.length < 11 || frame.readUInt32LE(0) !== magic) throw new Error('not an LZ4 frame')
  const flag = frame[4]!
  if ((flag & flags.versionMask) !== flags.version) throw new Error('unknown version of LZ4 frames')
  if ((flag & flags.independent) === 0) throw new Error('LZ4 blocks depend on each other')
  if ((flag & dictionaryFlag) !== 0) throw new Error('LZ4 frame needs a dictionary')
  const blockLimit = blockBytesOf(frame[5]!)
  const hasContentSize = (flag & flags.contentSize) !== 0
  const headerEnd = hasContentSize ? 14 : 6
  if (frame.length < headerEnd + 5) throw new Error('LZ4 frame ends in its header')
  const contentSize = hasContentSize ? Number(frame.readBigUInt64LE(6)) : -1
  if (contentSize > limitBytes) throw tooLarge(limitBytes)
  if (frame[headerEnd] !== ((xxh32(frame, 4, headerEnd) >>> 8) & 0xff)) throw new Error('LZ4 header checksum is wrong')
  const content = readBlocks(frame, headerEnd + 1, (flag & flags.blockChecksum) !== 0, blockLimit, limitBytes)
  if (contentSize >= 0 && content.bytes.length !== contentSize) throw new Error('LZ4 content size is wrong')
  if ((flag & contentChecksumFlag) !== 0) {
    if (content.end + 4 > frame.length) throw new Error('LZ4 frame ends before its checksum')
    if (frame.readUInt32LE(content.end) !== xxh32(content.bytes)) throw new Error('LZ4 content checksum is wrong')
  }
  return content.bytes
}

function blockBytesOf(descriptor: number): number {
  const code = (descriptor >> 4) & 7
  if (code < 4) throw new Error('unknown LZ4 block size')
  return 1 << (8 + 2 * code)
}

function tooLarge(limitBytes: number): Error {
  return new Error(`content is larger than ${limitBytes} bytes`)
}

function readBlocks(
  frame: Buffer,
  start: number,
  hasChecksum: boolean,
  blockLimit: number,
  limitBytes: number,
): { bytes: Buffer; end: number } {
  const blocks: Buffer[] = []
  let total = 0
  let at = start
  for (;;) {
    if (at + 4 > frame.length) throw new Error('LZ4 frame ends between blocks')
    const word = frame.readUInt32LE(at)
    at += 4
    if (word === 0) return { bytes: blocks.length === 1 ? blocks[0]! : Buffer.concat(blocks, total), end: at }
    const size = word & ~storedBit
    const end = at + size
    if (size > blockLimit || end + (hasChecksum ? 4 : 0) > frame.length)
      throw new Error('LZ4 block is longer than its frame')
    if (hasChecksum && frame.readUInt32LE(end) !== xxh32(frame, at, end)) throw new Error('LZ4 block checksum is wrong')
    const room = Math.min(blockLimit, limitBytes - total)
    const block = word === size ? expandBlock(frame, at, end, room) : frame.subarray(at, end)
    if (block === undefined)
      throw limitBytes - total < blockLimit ? tooLarge(limitBytes) : new Error('LZ4 block is malformed')
    total += block.length
    if (total > limitBytes) throw tooLarge(limitBytes)
    blocks.push(block)
    at = hasChecksum ? end + 4 : end
  }
}

/** A byte of input makes at most 255 of output: that, and `room`, is all the memory a block can claim. */
function expandBlock(frame: Buffer, start: number, end: number, room: number): Buffer | undefined {
  const target = Buffer.allocUnsafe(Math.min(room, (end - start) * 255))
  const length = decodeLz4Block(frame, start, end, target, 0)
  if (length < 0) return undefined
  return length * 2 < target.length ? Buffer.from(target.subarray(0, length)) : target.subarray(0, length)
}
