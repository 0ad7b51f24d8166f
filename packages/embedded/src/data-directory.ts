import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Disk } from '@rocketmq-ts/runtime'

const MIB = 1024 * 1024

/** Sizes of the store's files. They are fixed once there are files: all of a kind have one size. */
export interface FileSizes {
  readonly commitLogFileSizeBytes?: number
  readonly indexHashSlotCount?: number
  readonly indexEntryCount?: number
}

const smallIndex = { indexHashSlotCount: 100_000, indexEntryCount: 400_000 }
const INDEX_HEADER_BYTES = 40
const INDEX_SLOT_BYTES = 4
const INDEX_ENTRY_BYTES = 20

/**
 * Small files for a new directory. A directory that has files already keeps their sizes, so that a store of the Java
 * broker, or one made with other settings, opens as it is: the log's size is that of its files; index files that aren't
 * ours have the sizes of the broker's defaults.
 */
export function fileSizesFor(disk: Disk, dataDirectory: string): FileSizes {
  const logBytes = sizeOfFirstFile(disk, join(dataDirectory, 'commitlog'))
  const indexBytes = sizeOfFirstFile(disk, join(dataDirectory, 'index'))
  const smallIndexBytes =
    INDEX_HEADER_BYTES +
    smallIndex.indexHashSlotCount * INDEX_SLOT_BYTES +
    smallIndex.indexEntryCount * INDEX_ENTRY_BYTES
  return {
    commitLogFileSizeBytes: logBytes ?? 64 * MIB,
    ...(indexBytes === undefined || indexBytes === smallIndexBytes ? smallIndex : {}),
  }
}

function sizeOfFirstFile(disk: Disk, directory: string): number | undefined {
  const first = disk.list(directory)?.find(entry => !entry.isDirectory && /^\d+$/.test(entry.name))
  const size = first === undefined ? undefined : disk.stat(join(directory, first.name))?.size
  return size === 0 ? undefined : size
}

/** Makes an empty directory of its own below the system's temporary one. */
export function makeTemporaryDirectory(disk: Disk): string {
  const path = join(tmpdir(), `rocketmq-${randomUUID()}`)
  disk.makeDirectory(path)
  return path
}
