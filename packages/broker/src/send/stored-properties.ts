import { decodeProperties, encodeProperties, removeProperty } from '@rocketmq-ts/model'
import type { ScannedProperties } from './properties-scan.ts'

/** Read live. */
export interface StoredPropertyOptions {
  readonly regionId: string
  readonly traceOn: boolean
  readonly clusterName: string
}

/** Names that the broker writes itself, or that must not be stored as the client sent them. */
const replacedNames = ['POP_CK', 'MSG_REGION', 'TRACE_ON', 'CLUSTER', '__CRC32#'] as const

/** Names that make a message wait; a half message must not carry them. */
const delayNames = ['DELAY', 'TIMER_DELAY_SEC', 'TIMER_DELAY_MS', 'TIMER_DELIVER_MS'] as const

/**
 * The properties text that goes into the log. The client's text stays as it is and what the broker adds follows it; readers
 * take the last of equal names. Only a text that needs it ({@link ScannedProperties.needsRewrite}) is taken apart.
 */
export class StoredProperties {
  readonly #options: StoredPropertyOptions
  #regionId = ''
  #clusterName = ''
  #traceOn = false
  #suffix = ''

  constructor(options: StoredPropertyOptions) {
    this.#options = options
  }

  /**
   * `text` with MSG_REGION, TRACE_ON and CLUSTER, and without POP_CK; a UNIQ_KEY is added when `newUniqueKey` is given.
   * Source: AbstractSendMessageProcessor#buildMsgContext, SendMessageProcessor#clearReservedProperties, 5.3.x
   */
  complete(text: string, scanned: ScannedProperties, newUniqueKey: string | undefined): string {
    let stored = text
    if (scanned.needsRewrite) stored = rewritten(text)
    else if (!scanned.isTerminated) stored = `${text}\u0002`
    if (newUniqueKey !== undefined) stored = withProperty(stored, 'UNIQ_KEY', newUniqueKey)
    return stored + this.suffix()
  }

  /** What the broker adds to every message. */
  suffix(): string {
    const { regionId, traceOn, clusterName } = this.#options
    if (
      this.#suffix === '' ||
      regionId !== this.#regionId ||
      traceOn !== this.#traceOn ||
      clusterName !== this.#clusterName
    ) {
      this.#regionId = regionId
      this.#traceOn = traceOn
      this.#clusterName = clusterName
      this.#suffix = encodeProperties([
        ['MSG_REGION', regionId],
        ['TRACE_ON', String(traceOn)],
        ['CLUSTER', clusterName],
      ])
    }
    return this.#suffix
  }
}

/** `text` (terminated) with one more property, which wins over an earlier one of that name. */
export function withProperty(text: string, name: string, value: string): string {
  return `${text}${name}\u0001${value}\u0002`
}

/** `text` with the place where the message is to end up. */
export function withRealDestination(text: string, topic: string, queueId: number): string {
  return `${text}REAL_TOPIC\u0001${topic}\u0002REAL_QID\u0001${queueId}\u0002`
}

/**
 * `text` without delay and timer properties. A half message that kept them would be moved once more when it is stored, and
 * get lost on its way back, as it does in Java.
 */
export function withoutDelay(text: string): string {
  let result = text
  for (const name of delayNames) result = removeProperty(result, name)
  return result
}

function rewritten(text: string): string {
  const properties = decodeProperties(text)
  for (const name of replacedNames) properties.delete(name)
  return encodeProperties(properties)
}
