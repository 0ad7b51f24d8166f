import { ResponseCode } from '@rocketmq-ts/protocol'
import type { PutStatus } from '@rocketmq-ts/store'
import type { SendRefusal } from './send-targets.ts'

/**
 * The answer to a put that didn't happen. `whyNotWritable` is the store's own reason.
 * Source: SendMessageProcessor#handlePutMessageResult, 5.3.x
 */
export function putRefusal(
  status: PutStatus,
  messageSizeMaxBytes: number,
  whyNotWritable: string | undefined,
): SendRefusal {
  switch (status) {
    case 'MESSAGE_ILLEGAL':
    case 'PROPERTIES_SIZE_EXCEEDED':
      return illegalMessage(messageSizeMaxBytes)
    case 'SERVICE_NOT_AVAILABLE':
      return {
        code: ResponseCode.SERVICE_NOT_AVAILABLE,
        remark:
          'service not available now. It may be caused by one of the following reasons: ' +
          `the broker's disk is full [${whyNotWritable ?? 'no'}], messages are put to the slave, message store has been shut down, etc.`,
      }
    case 'CREATE_MAPPED_FILE_FAILED':
      return {
        code: ResponseCode.SYSTEM_ERROR,
        remark: 'create mapped file failed, server is busy or broken.',
      }
    default:
      return { code: ResponseCode.SYSTEM_ERROR, remark: 'UNKNOWN_ERROR' }
  }
}

/** The answer to a message outside the limits. */
export function illegalMessage(messageSizeMaxBytes: number): SendRefusal {
  return {
    code: ResponseCode.MESSAGE_ILLEGAL,
    remark:
      'the message is illegal, maybe msg body or properties length not matched. ' +
      `msg body length limit ${messageSizeMaxBytes}B, msg properties length limit 32KB.`,
  }
}
