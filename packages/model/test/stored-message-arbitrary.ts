import { bodyCrc, magicForTopic, type StoredMessage, sysFlag } from '@rocketmq-ts/model'
import fc from 'fast-check'

const int32 = fc.integer()
const int64 = fc.maxSafeInteger()
const wellFormedText = fc.string({ unit: 'grapheme', maxLength: 40 })

const host = (length: 4 | 16) =>
  fc.record({ address: fc.uint8Array({ minLength: length, maxLength: length }).map(a => Buffer.from(a)), port: int32 })

/** Messages that fit their record, of both versions and address families. */
export const storedMessageArbitrary: fc.Arbitrary<Omit<StoredMessage, 'totalSize'>> = fc
  .record({ isBornV6: fc.boolean(), isStoreV6: fc.boolean(), flagBits: int32, body: fc.uint8Array({ maxLength: 300 }) })
  .chain(({ isBornV6, isStoreV6, flagBits, body }) =>
    fc
      .record({
        queueId: int32,
        flag: int32,
        queueOffset: int64,
        physicalOffset: int64,
        bornTimestamp: int64,
        bornHost: host(isBornV6 ? 16 : 4),
        storeTimestamp: int64,
        storeHost: host(isStoreV6 ? 16 : 4),
        reconsumeTimes: int32,
        preparedTransactionOffset: int64,
        topic: fc.oneof(wellFormedText, fc.string({ unit: 'grapheme-ascii', maxLength: 255 })),
        propertiesText: fc.string({ unit: 'grapheme', maxLength: 200 }),
      })
      .map(fields => {
        const v6 = (isBornV6 ? sysFlag.bornHostV6 : 0) | (isStoreV6 ? sysFlag.storeHostV6 : 0)
        return {
          ...fields,
          magic: magicForTopic(Buffer.byteLength(fields.topic)),
          sysFlag: (flagBits & ~(sysFlag.bornHostV6 | sysFlag.storeHostV6)) | v6,
          body: Buffer.from(body),
          bodyCrc: bodyCrc(body),
        }
      }),
  )
