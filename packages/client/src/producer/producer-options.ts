import { assertGroup, type CompressionType, systemGroups } from '@rocketmq-ts/model'
import { RocketMqError } from '@rocketmq-ts/runtime'
import type { SendHook } from '../hooks.ts'
import {
  type ClientOptions,
  type ClientPorts,
  clientOptionNames,
  integerOption,
  type ResolvedClientOptions,
  refuseUnknownOptions,
  resolveClientOptions,
} from '../options.ts'

/** Options of a producer, beside those of every client. */
export interface ProducerOptions extends ClientOptions {
  /** Name of the producer group, told to brokers. Not `DEFAULT_PRODUCER`. */
  group: string
  /** Topics whose routes are fetched before {@link createProducer} resolves. */
  topics?: readonly string[]
  /** Time for one send, retries and waiting included. Default 3000. Java: sendMsgTimeout. */
  sendTimeoutMs?: number
  /** Time for one attempt that isn't the last; 0 (default): what is left. Java: sendMsgMaxTimeoutPerRequest. */
  attemptTimeoutMs?: number
  /** More attempts after a failed one, on another broker if there is one. Default 2. */
  retryTimesWhenSendFailed?: number
  /** Also tries again when the answer isn't SEND_OK (stored, but not flushed or replicated in time). Default false. */
  retryAnotherBrokerWhenNotStoreOk?: boolean
  /** Response codes after which another attempt is made. Default 1, 2, 14, 16, 17, 204, 205, 1500. */
  retryResponseCodes?: readonly number[]
  /** Bodies of at least so many bytes are compressed. Default 4096. Java: compressMsgBodyOverHowmuch. */
  compressBodyOverBytes?: number
  /** Default ZLIB, which every consumer can read. */
  compressType?: CompressionType
  /** 0 to 9 for ZLIB, 1 to 22 for ZSTD; default 5. */
  compressLevel?: number
  /** Largest body (or encoded batch), before compression. Default 4 MiB. Java: maxMessageSize. */
  maxMessageBytes?: number
  /** Avoids brokers that were slow or failed. Default false. */
  sendLatencyFaultEnable?: boolean
  /** Probes brokers that failed, to use them again early. Default false. */
  startDetectorEnable?: boolean
  /** Topic whose brokers an unknown topic is created on. Default TBW102. */
  createTopicKey?: string
  /** Queues per broker of a topic created by sending. Default 4. */
  defaultTopicQueueNums?: number
  /** Messages sent and not answered; more wait their turn. Default 4096. Java: backPressureForAsyncSendNum. */
  inFlightMessagesMax?: number
  /** Bytes of bodies sent and not answered; more wait. Default 64 MiB. Java: backPressureForAsyncSendSize. */
  inFlightBytesMax?: number
  /** Messages that wait for the two limits above; one more fails with TOO_MANY_REQUESTS. Default 100000. */
  waitingMessagesMax?: number
  /** Called around each attempt. */
  hooks?: readonly SendHook[]
}

/** {@link ProducerOptions} with every default applied; names are wrapped into the namespace. */
export interface ResolvedProducerOptions {
  readonly client: ResolvedClientOptions
  readonly group: string
  readonly topics: readonly string[]
  readonly sendTimeoutMs: number
  readonly attemptTimeoutMs: number
  readonly retryTimesWhenSendFailed: number
  readonly retryAnotherBrokerWhenNotStoreOk: boolean
  readonly retryResponseCodes: ReadonlySet<number>
  readonly compressBodyOverBytes: number
  readonly compressType: CompressionType
  readonly compressLevel: number
  readonly maxMessageBytes: number
  readonly sendLatencyFaultEnable: boolean
  readonly startDetectorEnable: boolean
  readonly createTopicKey: string
  readonly defaultTopicQueueNums: number
  readonly inFlightMessagesMax: number
  readonly inFlightBytesMax: number
  readonly waitingMessagesMax: number
  readonly hooks: readonly SendHook[]
}

/** What {@link ProducerOptions} adds to the options of every client. */
const optionTable: Record<Exclude<keyof ProducerOptions, keyof ClientOptions>, true> = {
  group: true,
  topics: true,
  sendTimeoutMs: true,
  attemptTimeoutMs: true,
  retryTimesWhenSendFailed: true,
  retryAnotherBrokerWhenNotStoreOk: true,
  retryResponseCodes: true,
  compressBodyOverBytes: true,
  compressType: true,
  compressLevel: true,
  maxMessageBytes: true,
  sendLatencyFaultEnable: true,
  startDetectorEnable: true,
  createTopicKey: true,
  defaultTopicQueueNums: true,
  inFlightMessagesMax: true,
  inFlightBytesMax: true,
  waitingMessagesMax: true,
  hooks: true,
}
const producerOptionNames = Object.keys(optionTable)

/** Source: DefaultMQProducer#retryResponseCodes, 5.3.x */
const defaultRetryResponseCodes = [17, 14, 1, 2, 16, 204, 205, 1500]

/** Applies defaults and checks ranges. Throws `INVALID_ARGUMENT` naming the option. */
export function resolveProducerOptions(
  options: ProducerOptions,
  ports?: Partial<ClientPorts>,
  moreNames: readonly string[] = [],
): ResolvedProducerOptions {
  if (typeof options !== 'object' || options === null) {
    throw new RocketMqError('INVALID_ARGUMENT', 'a producer needs options, at least { group }')
  }
  refuseUnknownOptions(options, [...clientOptionNames, ...producerOptionNames, ...moreNames])
  const compressType = options.compressType ?? 'ZLIB'
  if (!['ZLIB', 'LZ4', 'ZSTD'].includes(compressType)) {
    throw new RocketMqError('INVALID_ARGUMENT', `compressType must be ZLIB, LZ4 or ZSTD, not ${compressType}`)
  }
  return {
    client: resolveClientOptions(options, ports),
    group: checkedGroup(options.group),
    topics: [...(options.topics ?? [])],
    sendTimeoutMs: integerOption('sendTimeoutMs', options.sendTimeoutMs, 3000, 1),
    attemptTimeoutMs: integerOption('attemptTimeoutMs', options.attemptTimeoutMs, 0, 0),
    retryTimesWhenSendFailed: integerOption('retryTimesWhenSendFailed', options.retryTimesWhenSendFailed, 2, 0, 1000),
    retryAnotherBrokerWhenNotStoreOk: options.retryAnotherBrokerWhenNotStoreOk ?? false,
    retryResponseCodes: new Set(options.retryResponseCodes ?? defaultRetryResponseCodes),
    compressBodyOverBytes: integerOption('compressBodyOverBytes', options.compressBodyOverBytes, 4096, 1),
    compressType,
    compressLevel: integerOption('compressLevel', options.compressLevel, 5, 0, 22),
    maxMessageBytes: integerOption('maxMessageBytes', options.maxMessageBytes, 4 << 20, 1),
    sendLatencyFaultEnable: options.sendLatencyFaultEnable ?? false,
    startDetectorEnable: options.startDetectorEnable ?? false,
    createTopicKey: options.createTopicKey ?? 'TBW102',
    defaultTopicQueueNums: integerOption('defaultTopicQueueNums', options.defaultTopicQueueNums, 4, 1, 1024),
    inFlightMessagesMax: integerOption('inFlightMessagesMax', options.inFlightMessagesMax, 4096, 1, 60_000),
    inFlightBytesMax: integerOption('inFlightBytesMax', options.inFlightBytesMax, 64 << 20, 1),
    waitingMessagesMax: integerOption('waitingMessagesMax', options.waitingMessagesMax, 100_000, 0),
    hooks: [...(options.hooks ?? [])],
  }
}

function checkedGroup(group: unknown): string {
  if (typeof group !== 'string') throw new RocketMqError('INVALID_ARGUMENT', 'a producer needs a group, a text')
  assertGroup(group)
  if (group === systemGroups.defaultProducer) {
    throw new RocketMqError('INVALID_ARGUMENT', `group "${group}" is the default of all clients; choose your own`)
  }
  return group
}
