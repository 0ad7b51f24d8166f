import type { Disk, Logger } from '@rocketmq-ts/runtime'
import type { ClientInstance } from '../client-instance.ts'
import type { MessageModel } from '../consume/consumer-registration.ts'
import { defaultOffsetStoreDirectory, LocalFileOffsetStore, localOffsetFile } from './local-file-offset-store.ts'
import type { OffsetStore } from './offset-store.ts'
import { RemoteOffsetStore } from './remote-offset-store.ts'

/** What decides which store a consumer gets. */
export interface OffsetStoreChoice {
  readonly messageModel: MessageModel
  readonly wireGroup: string
  readonly disk: Disk
  readonly offsetStoreDirectory: string | undefined
  readonly strictConsumeFromWhere?: boolean
}

/** The broker's store for clustering, a file for broadcasting. */
export function newOffsetStore(instance: ClientInstance, choice: OffsetStoreChoice, logger: Logger): OffsetStore {
  if (choice.messageModel === 'CLUSTERING') {
    const setZeroIfNotFound = !(choice.strictConsumeFromWhere ?? false)
    return new RemoteOffsetStore(instance, choice.wireGroup, { setZeroIfNotFound, logger })
  }
  const directory = choice.offsetStoreDirectory ?? defaultOffsetStoreDirectory()
  return new LocalFileOffsetStore(choice.disk, localOffsetFile(directory, instance.clientId, choice.wireGroup), logger)
}
