import { encodeBatch } from '@rocketmq-ts/model'
import type { Random } from '@rocketmq-ts/runtime'
import type { Ledger } from './ledger.ts'
import { Wire } from './wire.ts'

const TOPICS = ['SoakA', 'SoakB', 'SoakC', 'SoakD']
export const QUEUE_COUNT = 4

/** Ids are unique in a run; the body is the id in eight digits, then filler. */
let lastId = 0

export interface LoadState {
  /** False once the run is over; workers end at their next step. */
  running: boolean
  /** Answers that refused a message, by code. */
  readonly refused: Map<number, number>
}

function sendFields(topic: string, queueId: number, isBatch: boolean): Record<string, string> {
  const properties = `UNIQ_KEY\u0001${String(lastId).padStart(32, '0')}\u0002KEYS\u0001k${lastId}\u0002TAGS\u0001t${lastId % 3}\u0002`
  return {
    a: 'soak',
    b: topic,
    c: 'TBW102',
    d: String(QUEUE_COUNT),
    e: String(queueId),
    f: '0',
    g: '1796040000000',
    h: '0',
    i: properties,
    j: '0',
    k: 'false',
    m: String(isBatch),
  }
}

function bodyOf(id: number, random: Random): Buffer {
  const size = random.int(10) === 0 ? 8 + random.int(40_000) : 8 + random.int(400)
  const body = Buffer.alloc(size, 46)
  body.write(String(id).padStart(8, '0'), 'latin1')
  return body
}

async function sendOnce(wire: Wire, ledger: Ledger, random: Random, state: LoadState): Promise<void> {
  const topic = TOPICS[random.int(TOPICS.length)] as string
  const queueId = random.int(QUEUE_COUNT)
  const isBatch = random.int(8) === 0
  const count = isBatch ? 2 + random.int(20) : 1
  const firstId = lastId + 1
  lastId += count
  const bodies = Array.from({ length: count }, (_, i) => bodyOf(firstId + i, random))
  const fields = sendFields(topic, queueId, isBatch)
  const body = isBatch
    ? encodeBatch(bodies.map(each => ({ flag: 0, body: each, propertiesText: 'TAGS\u0001batch\u0002' })))
    : (bodies[0] as Buffer)
  const answer = await wire.ask(isBatch ? 320 : 310, fields, body)
  if (answer.code !== 0) {
    state.refused.set(answer.code, (state.refused.get(answer.code) ?? 0) + 1)
    return
  }
  const offset = Number(answer.extFields?.queueOffset)
  const queue = `${topic}@${answer.extFields?.queueId}`
  for (let i = 0; i < count; i++) ledger.acknowledge(queue, offset + i, firstId + i)
}

/** Pulls, offset commits, offset queries and route changes between the sends, as a busy broker sees them. */
async function otherOnce(wire: Wire, random: Random): Promise<void> {
  const topic = TOPICS[random.int(TOPICS.length)] as string
  const queueId = String(random.int(QUEUE_COUNT))
  switch (random.int(5)) {
    case 0:
      await wire.ask(15, { consumerGroup: 'soak', topic, queueId, commitOffset: String(random.int(100)) })
      return
    case 1:
      await wire.ask(30, { topic, queueId })
      return
    case 2:
      await wire.ask(12, {
        topic,
        key: `k${1 + random.int(lastId + 1)}`,
        maxNum: '8',
        beginTimestamp: '0',
        endTimestamp: '9000000000000',
      })
      return
    case 3:
      await wire.ask(29, { topic, queueId, timestamp: '1796040000000' })
      return
    default:
      await wire.ask(11, pullFields(topic, queueId, random.int(1000), 32))
  }
}

export function pullFields(topic: string, queueId: string, offset: number, maxCount: number): Record<string, string> {
  return {
    consumerGroup: 'soak',
    topic,
    queueId,
    queueOffset: String(offset),
    maxMsgNums: String(maxCount),
    sysFlag: '4',
    commitOffset: '0',
    suspendTimeoutMillis: '0',
    subscription: '*',
    subVersion: '0',
    expressionType: 'TAG',
  }
}

const pause = (milliseconds: number) => new Promise<void>(resolve => setTimeout(resolve, milliseconds))

/** Works until the state says stop, over one connection after another: the broker is killed under it again and again. */
export async function work(address: () => string, ledger: Ledger, random: Random, state: LoadState): Promise<void> {
  while (state.running) {
    const wire = await Wire.open(address()).catch(() => undefined)
    if (!wire) {
      await pause(20)
      continue
    }
    const pipelines = Array.from({ length: 8 }, async () => {
      while (state.running) {
        if (random.int(5) === 0) await otherOnce(wire, random)
        else await sendOnce(wire, ledger, random, state)
        if (random.int(4) === 0) await pause(1)
      }
    })
    await Promise.all(pipelines).catch(error => {
      if (error instanceof Error && error.message !== 'closed') throw error
    })
    wire.close()
  }
}
