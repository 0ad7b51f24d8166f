/** Names of the message properties that RocketMQ itself uses. Source: MessageConst, 5.3.x. */
export const propertyNames = {
  keys: 'KEYS',
  tags: 'TAGS',
  waitStoreMsgOk: 'WAIT',
  delayTimeLevel: 'DELAY',
  retryTopic: 'RETRY_TOPIC',
  realTopic: 'REAL_TOPIC',
  realQueueId: 'REAL_QID',
  transactionPrepared: 'TRAN_MSG',
  producerGroup: 'PGROUP',
  minOffset: 'MIN_OFFSET',
  maxOffset: 'MAX_OFFSET',
  buyerId: 'BUYER_ID',
  originMessageId: 'ORIGIN_MESSAGE_ID',
  transferFlag: 'TRANSFER_FLAG',
  correctionFlag: 'CORRECTION_FLAG',
  mq2Flag: 'MQ2_FLAG',
  reconsumeTime: 'RECONSUME_TIME',
  maxReconsumeTimes: 'MAX_RECONSUME_TIMES',
  msgRegion: 'MSG_REGION',
  traceSwitch: 'TRACE_ON',
  uniqueKey: 'UNIQ_KEY',
  extendUniqueInfo: 'EXTEND_UNIQ_INFO',
  consumeStartTimestamp: 'CONSUME_START_TIME',
  innerNum: 'INNER_NUM',
  innerBase: 'INNER_BASE',
  dupInfo: 'DUP_INFO',
  checkImmunityTimeInSeconds: 'CHECK_IMMUNITY_TIME_IN_SECONDS',
  transactionPreparedQueueOffset: 'TRAN_PREPARED_QUEUE_OFFSET',
  transactionId: '__transactionId__',
  transactionCheckTimes: 'TRANSACTION_CHECK_TIMES',
  instanceId: 'INSTANCE_ID',
  correlationId: 'CORRELATION_ID',
  replyToClient: 'REPLY_TO_CLIENT',
  ttl: 'TTL',
  arriveTime: 'ARRIVE_TIME',
  pushReplyTime: 'PUSH_REPLY_TIME',
  cluster: 'CLUSTER',
  messageType: 'MSG_TYPE',
  popCk: 'POP_CK',
  popCkOffset: 'POP_CK_OFFSET',
  firstPopTime: '1ST_POP_TIME',
  shardingKey: '__SHARDINGKEY',
  forwardQueueId: 'PROPERTY_FORWARD_QUEUE_ID',
  redirect: 'REDIRECT',
  innerMultiDispatch: 'INNER_MULTI_DISPATCH',
  innerMultiQueueOffset: 'INNER_MULTI_QUEUE_OFFSET',
  traceContext: 'TRACE_CONTEXT',
  timerDelaySec: 'TIMER_DELAY_SEC',
  timerDelayMs: 'TIMER_DELAY_MS',
  timerDeliverMs: 'TIMER_DELIVER_MS',
  timerEnqueueMs: 'TIMER_ENQUEUE_MS',
  timerDequeueMs: 'TIMER_DEQUEUE_MS',
  timerRollTimes: 'TIMER_ROLL_TIMES',
  timerOutMs: 'TIMER_OUT_MS',
  timerDelUniqueKey: 'TIMER_DEL_UNIQKEY',
  timerDelayLevel: 'TIMER_DELAY_LEVEL',
  bornHost: '__BORNHOST',
  bornTimestamp: 'BORN_TIMESTAMP',
  transientTopicSysFlag: '__RMQ.TRANSIENT.TOPIC_SYS_FLAG',
  transientGroupSysFlag: '__RMQ.TRANSIENT.GROUP_SYS_FLAG',
  crc32: '__CRC32#',
  dlqOriginTopic: 'DLQ_ORIGIN_TOPIC',
  dlqOriginMessageId: 'DLQ_ORIGIN_MESSAGE_ID',
} as const

/** Properties with this prefix live in one process only and are never sent. */
export const transientPropertyPrefix = '__RMQ.TRANSIENT.'

/** Separates the keys in KEYS. */
export const keySeparator = ' '

/** Value of MSG_TYPE on the answer of a request/reply exchange. */
export const replyMessageType = 'reply'

const reservedNames: ReadonlySet<string> = new Set(Object.values(propertyNames))

/** True for a name that users may not give to a property of theirs. */
export function isReservedProperty(name: string): boolean {
  return reservedNames.has(name) || name.startsWith(transientPropertyPrefix)
}
