import assert from 'node:assert/strict'
import { pullMessage, sendMessageV2 } from '@rocketmq-ts/protocol'
import { RpcClient } from '@rocketmq-ts/remoting'
import { nodeNetwork, systemClock } from '@rocketmq-ts/runtime'

/** Runs `use` with a client that is closed afterwards. */
export async function withRpc<T>(use: (rpc: RpcClient) => Promise<T>): Promise<T> {
  const rpc = new RpcClient({ network: nodeNetwork, clock: systemClock })
  try {
    return await use(rpc)
  } finally {
    await rpc.close()
  }
}

/** Sends one message to queue 0 of a topic that is created on the way; resolves with its offset in the queue. */
export async function sendOne(broker: string, topic: string, body: string): Promise<number> {
  return withRpc(async rpc => {
    const header = {
      a: 'g',
      b: topic,
      c: 'TBW102',
      d: 4,
      e: 0,
      f: 0,
      g: systemClock.now(),
      h: 0,
      i: '',
      j: 0,
      k: false,
    }
    const answer = await rpc.call(sendMessageV2, broker, header, { body: Buffer.from(body) })
    return answer.header.queueOffset
  })
}

/** The bytes of what queue 0 of a topic holds from `offset` on; rejects when there is nothing. */
export async function pullOne(broker: string, topic: string, offset: number): Promise<Buffer> {
  return withRpc(async rpc => {
    const header = {
      consumerGroup: 'g',
      topic,
      queueId: 0,
      queueOffset: offset,
      maxMsgNums: 1,
      sysFlag: 4,
      commitOffset: 0,
      suspendTimeoutMillis: 0,
      subscription: '*',
      subVersion: 0,
      expressionType: 'TAG',
    }
    const answer = await rpc.call(pullMessage, broker, header)
    return answer.body ?? Buffer.alloc(0)
  })
}

/**
 * Resolves when the process holds no socket, timer or file that it didn't hold `before`; rejects, naming them, when that
 * doesn't come about. A closed handle is freed a turn or two of the event loop after its close was announced.
 */
export async function nothingLeftSince(before: readonly string[]): Promise<void> {
  for (let turn = 0; turn < 100 && leftSince(before).length > 0; turn++) {
    await new Promise(resolve => setImmediate(resolve))
  }
  assert.deepEqual(leftSince(before), [])
}

function leftSince(before: readonly string[]): string[] {
  const known = [...before]
  return process.getActiveResourcesInfo().filter(resource => {
    const index = known.indexOf(resource)
    if (index >= 0) known.splice(index, 1)
    return index < 0
  })
}
