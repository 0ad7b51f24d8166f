import type { RemotingCommand } from '@rocketmq-ts/protocol'
import type { Connection } from '@rocketmq-ts/remoting'

/** What the shared client instance needs from one producer. No method throws. */
export interface ProducerRegistration {
  /** Topics whose routes are kept fresh, as on the wire. */
  topics(): Iterable<string>
  /** CHECK_TRANSACTION_STATE (39): a broker asks for the state of a half message. Only a transaction producer has it. */
  checkTransaction?(command: RemotingCommand, connection: Connection): void
  /** PUSH_REPLY_MESSAGE_TO_CLIENT (326): true when this producer waits for that reply and took it. */
  acceptReply?(command: RemotingCommand): boolean
}
