/** The bits of a stored message's `sysFlag`. Source: MessageSysFlag, 5.3.x. */
export const sysFlag = {
  compressed: 0x1,
  multiTags: 0x2,
  transactionPrepared: 0x4,
  transactionCommit: 0x8,
  transactionRollback: 0xc,
  transactionMask: 0xc,
  bornHostV6: 0x10,
  storeHostV6: 0x20,
  needUnwrap: 0x40,
  innerBatch: 0x80,
  compressionMask: 0x700,
  lz4: 0x100,
  zstd: 0x200,
  zlib: 0x300,
} as const

/** The bits of a PULL request's `sysFlag`. Source: PullSysFlag, 5.3.x. */
export const pullSysFlag = {
  commitOffset: 1,
  suspend: 2,
  subscription: 4,
  classFilter: 8,
  litePull: 16,
} as const

export type CompressionType = 'ZLIB' | 'LZ4' | 'ZSTD'

/** How the body is compressed, if bit 0 says that it is; undefined for a type that no version defines. */
export function compressionTypeOf(flag: number): CompressionType | undefined {
  switch (flag & sysFlag.compressionMask) {
    case 0: // written by clients that know nothing but zlib
    case sysFlag.zlib:
      return 'ZLIB'
    case sysFlag.lz4:
      return 'LZ4'
    case sysFlag.zstd:
      return 'ZSTD'
    default:
      return undefined
  }
}

/** The type bits to set, beside bit 0, for a body compressed as `type`. */
export function compressionFlag(type: CompressionType): number {
  return type === 'LZ4' ? sysFlag.lz4 : type === 'ZSTD' ? sysFlag.zstd : sysFlag.zlib
}

/** Replaces the transaction bits of `flag` by `transaction` (one of the transaction values, or 0). */
export function withTransactionType(flag: number, transaction: number): number {
  return (flag & ~sysFlag.transactionMask) | transaction
}
