import { type BodyOf, jsonBody } from './json-body.ts'
import { object, textMap } from './map-schemas.ts'
import { bool, int, long, oneLineList, optional, text } from './schema.ts'

const consumerFilterDataSchema = object({
  bloomFilterData: optional(object({ bitNum: int(), bitPos: oneLineList(int()) })),
  bornTime: long(),
  clientVersion: long(),
  consumerGroup: text(),
  /** Follows from the times; written for people. */
  dead: bool(),
  deadTime: long(),
  expression: text(),
  expressionType: text(),
  topic: text(),
})

/** Selections of the groups that don't subscribe by tags: consumerFilter.json. Topic, then group. */
export const consumerFilterWrapper = jsonBody(
  object({
    filterDataByTopic: textMap(object({ groupFilterData: textMap(consumerFilterDataSchema), topic: text() })),
  }),
)
export type ConsumerFilterWrapper = BodyOf<typeof consumerFilterWrapper>
