import { textRecord } from './map-schemas.ts'
import { bool, enumeration, int, text } from './schema.ts'

/** Names of a topic's configuration, with Java's defaults for what is missing. */
export const topicConfigShape = {
  topicName: text(),
  readQueueNums: int(16),
  writeQueueNums: int(16),
  perm: int(6),
  topicFilterType: enumeration(['SINGLE_TAG', 'MULTI_TAG'], 'SINGLE_TAG'),
  topicSysFlag: int(),
  order: bool(),
  attributes: textRecord(),
}
