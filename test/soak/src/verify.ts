import { decodeStoredMessages } from '@rocketmq-ts/model'
import type { Ledger } from './ledger.ts'
import { pullFields } from './load.ts'
import { Wire } from './wire.ts'

/** Reads every queue from its begin to its end and holds it against the ledger. Returns how many messages it read. */
export async function verify(address: string, ledger: Ledger): Promise<number> {
  const wire = await Wire.open(address)
  let read = 0
  for (const name of ledger.names()) {
    const [topic = '', queueId = ''] = name.split('@')
    const expected = ledger.expected(name)
    const found = await readQueue(wire, topic, queueId)
    read += found.length
    expected.forEach((id, offset) => {
      if (id !== 0 && found[offset] !== id) {
        throw new Error(
          `${name} offset ${offset}: message ${id} was acknowledged, ${found[offset] ?? 'nothing'} is there`,
        )
      }
    })
    const seen = new Set<number>()
    for (const id of found) {
      if (seen.has(id)) throw new Error(`${name}: message ${id} is there twice`)
      seen.add(id)
    }
  }
  wire.close()
  return read
}

async function readQueue(wire: Wire, topic: string, queueId: string): Promise<number[]> {
  const found: number[] = []
  for (;;) {
    const answer = await wire.ask(11, pullFields(topic, queueId, found.length, 32))
    if (answer.code === 19 || (answer.code === 21 && found.length === Number(answer.extFields?.maxOffset))) return found
    if (answer.code === 2) continue
    if (answer.code !== 0)
      throw new Error(`${topic}@${queueId}: a pull at ${found.length} answered ${answer.code} ${answer.remark}`)
    for (const message of decodeStoredMessages(answer.body ?? Buffer.alloc(0))) {
      if (message.queueOffset !== found.length) {
        throw new Error(`${topic}@${queueId}: offset ${message.queueOffset} follows ${found.length - 1}`)
      }
      found.push(Number(message.body.toString('latin1', 0, 8)))
    }
  }
}
