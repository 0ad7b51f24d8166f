import type { Disk, Logger } from '@rocketmq-ts/runtime'
import type { ClientInstance } from '../client-instance.ts'
import type { MessageModel } from '../consume/consumer-registration.ts'
import { GuardedOffsetStore } from './guarded-offset-store.ts'
import { defaultOffsetStoreDirectory, LocalFileOffsetStore, localOffsetFile } from './local-file-offset-store.ts'
import type { OffsetStore } from './offset-store.ts'
import { RemoteOffsetStore } from './remote-offset-store.ts'

/** What decides which store a consumer gets. */
export interface OffsetStoreChoice {
  readonly messageModel: MessageModel
  readonly wireGroup: string
  readonly disk: Disk
  readonly offsetStoreDirectory: string | undefined
  /** What the user brought instead. */
  readonly offsetStore: OffsetStore | undefined
  readonly strictConsumeFromWhere?: boolean
}

/** The user's own store, else the broker's for clustering and a file for broadcasting. */
export function newOffsetStore(instance: ClientInstance, choice: OffsetStoreChoice, logger: Logger): OffsetStore {
  if (choice.offsetStore !== undefined) return new GuardedOffsetStore(choice.offsetStore, instance.clock, logger)
  if (choice.messageModel === 'CLUSTERING') {
    const setZeroIfNotFound = !(choice.strictConsumeFromWhere ?? false)
    return new RemoteOffsetStore(instance, choice.wireGroup, { setZeroIfNotFound, logger })
  }
  const directory = choice.offsetStoreDirectory ?? defaultOffsetStoreDirectory()
  return new LocalFileOffsetStore(choice.disk, localOffsetFile(directory, instance.clientId, choice.wireGroup), logger)
}
