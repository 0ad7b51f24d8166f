import { decodeBatch } from './batch.ts'
import { findProperty } from './properties.ts'
import { propertyNames } from './property-names.ts'
import type { StoredMessage } from './stored-message.ts'
import { sysFlag } from './sys-flag.ts'

/** True for a record that holds a whole batch and must be split by whoever consumes it. */
export function isInnerBatch(message: StoredMessage): boolean {
  const both = sysFlag.needUnwrap | sysFlag.innerBatch
  return (message.sysFlag & both) === both
}

/**
 * The messages of an inner batch whose body is `body` (the record's, after decompression): each has the flag, body and
 * properties of its own entry, queue offsets counted on from the record's, and all else from the record, the WAIT property
 * included, but reconsume times 0. Throws BODY_INVALID. Source: MessageDecoder#decodeMessage, 5.3.x.
 */
export function splitInnerBatch(outer: StoredMessage, body: Buffer = outer.body): StoredMessage[] {
  const isWaiting = (findProperty(outer.propertiesText, propertyNames.waitStoreMsgOk) ?? 'true') === 'true'
  const wait = `${propertyNames.waitStoreMsgOk}\u0001${isWaiting}\u0002`
  return decodeBatch(body).map((entry, index) => ({
    totalSize: outer.totalSize,
    magic: outer.magic,
    bodyCrc: outer.bodyCrc,
    queueId: outer.queueId,
    flag: entry.flag,
    queueOffset: outer.queueOffset + index,
    physicalOffset: outer.physicalOffset,
    sysFlag: outer.sysFlag,
    bornTimestamp: outer.bornTimestamp,
    bornHost: outer.bornHost,
    storeTimestamp: outer.storeTimestamp,
    storeHost: outer.storeHost,
    reconsumeTimes: 0,
    preparedTransactionOffset: outer.preparedTransactionOffset,
    body: entry.body,
    topic: outer.topic,
    propertiesText: terminated(entry.propertiesText) + wait,
  }))
}

/** The text with its last entry ended, so that another one may follow. */
function terminated(text: string): string {
  return text === '' || text.endsWith('\u0002') ? text : `${text}\u0002`
}
