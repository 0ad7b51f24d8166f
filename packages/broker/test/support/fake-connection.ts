import type { RemotingCommand } from '@rocketmq-ts/protocol'
import type { Connection } from '@rocketmq-ts/remoting'

/** A connection that remembers what it is told; for tests that need no socket. */
export class FakeConnection {
  readonly id: number
  readonly remoteAddress: string
  readonly oneways: RemotingCommand[] = []
  state = 'open'
  closeReason: string | undefined

  constructor(id: number) {
    this.id = id
    this.remoteAddress = `127.0.0.1:${50_000 + id}`
  }

  sendOneway(command: RemotingCommand): void {
    this.oneways.push(command)
  }

  close(reason?: string): void {
    this.closeReason = reason
    this.state = 'closed'
  }
}

/** The same as the type that the code under test takes. */
export function fakeConnection(id: number): Connection & FakeConnection {
  return new FakeConnection(id) as unknown as Connection & FakeConnection
}
