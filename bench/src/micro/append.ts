/**
 * What one append costs the process, in µs of CPU: encoding, CRC, consume queue, key index, and the write at the end of each turn.
 *
 *   node bench/dist/micro/append.js [messages=20000] [topics=1] [queues=8] [body=128] [perTurn=256]
 *
 * Tiny by default, so that it can run as a test. Prints one line with the log's end as a checksum: a change that makes it faster by storing
 * something else shows.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { realDisk, silentLogger, systemClock, TurnScheduler } from '@rocketmq-ts/runtime'
import { type AppendRecord, createStoreOptions, MessageStore } from '@rocketmq-ts/store'

function argument(name: string, fallback: number): number {
  const found = process.argv.find(text => text.startsWith(`${name}=`))
  return found === undefined ? fallback : Number(found.slice(name.length + 1))
}

const messages = argument('messages', 20_000)
const topics = argument('topics', 1)
const queues = argument('queues', 8)
const perTurn = argument('perTurn', 256)
const body = Buffer.alloc(argument('body', 128), 'x')
const names = Array.from({ length: topics }, (_, index) => `Topic${index}`)
const nameBytes = names.map(name => Buffer.from(name))
const host = { address: Buffer.from([127, 0, 0, 1]), port: 10_911 }

const record: AppendRecord = {
  topic: '',
  topicBytes: Buffer.alloc(0),
  queueId: 0,
  flag: 0,
  sysFlag: 0,
  bornTimestamp: 1_700_000_000_000,
  bornHost: host,
  storeHost: host,
  reconsumeTimes: 0,
  preparedTransactionOffset: 0,
  body,
  properties: '',
  tagsCode: 0,
  keys: undefined,
  uniqueKey: undefined,
}

function appendTurn(store: MessageStore, from: number): number {
  const to = Math.min(messages, from + perTurn)
  for (let i = from; i < to; i++) {
    const topic = i % topics
    record.topic = names[topic]!
    record.topicBytes = nameBytes[topic]!
    record.queueId = Math.floor(i / topics) % queues
    record.uniqueKey = `7F0000010000000000000000${(i + 0x10000000).toString(16)}`
    record.properties = `UNIQ_KEY\u0001${record.uniqueKey}\u0002WAIT\u0001true\u0002CLUSTER\u0001DefaultCluster\u0002`
    if (store.append(record).status !== 'PUT_OK') throw new Error(store.whyNotWritable() ?? 'refused')
  }
  return to
}

const directory = mkdtempSync(join(tmpdir(), 'bench-append-'))
const store = await MessageStore.open({
  disk: realDisk,
  clock: systemClock,
  turn: new TurnScheduler(systemClock),
  logger: silentLogger,
  directory,
  options: createStoreOptions(),
})
const before = process.cpuUsage()
const startMs = performance.now()
for (let done = 0; done < messages; ) {
  done = appendTurn(store, done)
  await new Promise<void>(resolve => systemClock.setImmediate(resolve))
}
const { user, system } = process.cpuUsage(before)
const elapsedMs = performance.now() - startMs
const { written } = store.watermarks
await store.close()
rmSync(directory, { recursive: true })
process.stdout.write(
  `append: ${messages} messages of ${body.length} B to ${topics} x ${queues} queues: ` +
    `${((user + system) / messages).toFixed(2)} µs CPU each, ${Math.round(messages / elapsedMs)} k/s, log end ${written}\n`,
)
