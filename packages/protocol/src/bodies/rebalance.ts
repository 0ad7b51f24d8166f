import { messageQueueSchema } from './common.ts'
import { messageModelSchema } from './heartbeat.ts'
import { type BodyOf, jsonBody } from './json-body.ts'
import { object, textMap } from './map-schemas.ts'
import { bool, enumeration, int, list, optional, text } from './schema.ts'

/** Body of LOCK_BATCH_MQ and UNLOCK_BATCH_MQ. */
export const lockBatchRequestBody = jsonBody(
  object({
    consumerGroup: text(),
    clientId: text(),
    /** Set by brokers that forward the request. */
    onlyThisBroker: bool(),
    mqSet: list(messageQueueSchema),
  }),
)
export type LockBatchRequestBody = BodyOf<typeof lockBatchRequestBody>

/** Answer to LOCK_BATCH_MQ: the queues that are locked now. */
export const lockBatchResponseBody = jsonBody(object({ lockOKMQSet: list(messageQueueSchema) }))
export type LockBatchResponseBody = BodyOf<typeof lockBatchResponseBody>

export const messageRequestModes = ['PULL', 'POP'] as const
export type MessageRequestMode = (typeof messageRequestModes)[number]
const messageRequestModeSchema = enumeration(messageRequestModes, 'PULL')

/** Body of QUERY_ASSIGNMENT. */
export const queryAssignmentRequestBody = jsonBody(
  object({
    topic: text(),
    consumerGroup: text(),
    clientId: text(),
    strategyName: text(),
    messageModel: messageModelSchema,
  }),
)
export type QueryAssignmentRequestBody = BodyOf<typeof queryAssignmentRequestBody>

/** Answer to QUERY_ASSIGNMENT. Without the list, the client keeps what it has. Queue id -1 stands for all of a broker. */
export const queryAssignmentResponseBody = jsonBody(
  object({
    messageQueueAssignments: optional(
      list(
        object({
          messageQueue: messageQueueSchema,
          mode: messageRequestModeSchema,
          attachments: optional(textMap(text())),
        }),
      ),
    ),
  }),
)
export type QueryAssignmentResponseBody = BodyOf<typeof queryAssignmentResponseBody>

const setMessageRequestModeSchema = object({
  topic: text(),
  consumerGroup: text(),
  mode: messageRequestModeSchema,
  popShareQueueNum: int(),
})

/** Body of SET_MESSAGE_REQUEST_MODE. */
export const setMessageRequestModeRequestBody = jsonBody(setMessageRequestModeSchema)
export type SetMessageRequestModeRequestBody = BodyOf<typeof setMessageRequestModeRequestBody>

/** messageRequestMode.json, and the answer to GET_ALL_MESSAGE_REQUEST_MODE: topic to group to mode. */
export const messageRequestModeWrapper = jsonBody(
  object({ messageRequestModeMap: textMap(textMap(setMessageRequestModeSchema)) }),
)
export type MessageRequestModeWrapper = BodyOf<typeof messageRequestModeWrapper>
