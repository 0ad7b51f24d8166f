import { ResponseCode } from '@rocketmq-ts/protocol'
import type { GetStatus } from '@rocketmq-ts/store'

/**
 * The response code of what the store found; `offset` is the one that was asked for.
 * Source: PullMessageProcessor#composeResponseHeader, 5.3.x
 */
export function pullCodeOf(status: GetStatus, offset: number): number {
  switch (status) {
    case 'FOUND':
      return ResponseCode.SUCCESS
    case 'NO_MATCHED_MESSAGE':
    case 'MESSAGE_WAS_REMOVING':
      return ResponseCode.PULL_RETRY_IMMEDIATELY
    case 'NO_MATCHED_LOGIC_QUEUE':
    case 'NO_MESSAGE_IN_QUEUE':
      return offset === 0 ? ResponseCode.PULL_NOT_FOUND : ResponseCode.PULL_OFFSET_MOVED
    case 'OFFSET_OVERFLOW_ONE':
    case 'OFFSET_FOUND_NULL':
      return ResponseCode.PULL_NOT_FOUND
    default:
      return ResponseCode.PULL_OFFSET_MOVED
  }
}
