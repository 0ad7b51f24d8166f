import { type BodyOf, jsonBody } from './json-body.ts'
import { object, textMap } from './map-schemas.ts'
import { brokerMemberGroupSchema } from './route.ts'
import { bool, int, list, long, optional, text } from './schema.ts'

/** Brokers (ids) that have every confirmed message. */
export const syncStateSet = jsonBody(object({ syncStateSet: list(long()), syncStateSetEpoch: int() }))
export type SyncStateSet = BodyOf<typeof syncStateSet>

/** Answer to CONTROLLER_ELECT_MASTER. */
export const electMasterResponseBody = jsonBody(
  object({ brokerMemberGroup: optional(brokerMemberGroupSchema), syncStateSet: optional(list(long())) }),
)
export type ElectMasterResponseBody = BodyOf<typeof electMasterResponseBody>

const replicaIdentitySchema = object({
  brokerName: text(),
  brokerId: long(),
  brokerAddress: text(),
  alive: bool(),
})

/** Answer to CONTROLLER_GET_SYNC_STATE_DATA. */
export const brokerReplicasInfo = jsonBody(
  object({
    replicasInfoTable: textMap(
      object({
        masterBrokerId: optional(long()),
        masterAddress: optional(text()),
        masterEpoch: optional(int()),
        syncStateSetEpoch: optional(int()),
        inSyncReplicas: list(replicaIdentitySchema),
        notInSyncReplicas: list(replicaIdentitySchema),
      }),
    ),
  }),
)
export type BrokerReplicasInfo = BodyOf<typeof brokerReplicasInfo>

/** Answer to GET_BROKER_EPOCH_CACHE. The open epoch ends at Long.MAX_VALUE (2^63). */
export const epochEntryCache = jsonBody(
  object({
    clusterName: text(),
    brokerName: text(),
    brokerId: long(),
    maxOffset: long(),
    epochList: list(object({ epoch: int(), startOffset: long(), endOffset: long() })),
  }),
)
export type EpochEntryCache = BodyOf<typeof epochEntryCache>

/** Answer to GET_BROKER_HA_STATUS. */
export const haRuntimeInfo = jsonBody(
  object({
    master: bool(),
    masterCommitLogMaxOffset: long(),
    inSyncSlaveNums: int(),
    haConnectionInfo: list(
      object({
        addr: text(),
        slaveAckOffset: long(),
        diff: long(),
        inSync: bool(),
        transferredByteInSecond: long(),
        transferFromWhere: long(),
      }),
    ),
    haClientRuntimeInfo: object({
      masterAddr: optional(text()),
      transferredByteInSecond: long(),
      maxOffset: long(),
      lastReadTimestamp: long(),
      lastWriteTimestamp: long(),
      masterFlushOffset: long(),
    }),
  }),
)
export type HARuntimeInfo = BodyOf<typeof haRuntimeInfo>
