import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createProducer } from '@rocketmq-ts/client'
import {
  type ManagedProcess,
  type OurStandalone,
  startAliOnsPeer,
  startGoPeer,
  startOurStandalone,
  temporaryDirectory,
} from '../../peers/dist/index.js'
import { collect, numbered, skipWithoutGo } from './setup.ts'

let home: ReturnType<typeof temporaryDirectory>
let ours: OurStandalone

before(async () => {
  home = temporaryDirectory('interop')
  ours = await startOurStandalone(`${home.path}/store`)
})

after(async () => {
  assert.equal(await ours.process.stop(), 0, 'our server must stop cleanly')
  home.dispose()
})

type Start = (args: readonly string[], ready?: RegExp) => Promise<ManagedProcess>

async function roundTrip(start: Start, name: string): Promise<void> {
  const common = [`namesrv=${ours.namesrv}`, `topic=Topic-${name}`, `prefix=${name}`]
  // ali-ons doesn't ask for a default topic's route, so the topic must be there before.
  await using admin = await createProducer({ nameServers: ours.namesrv, group: 'interop-admin' })
  await admin.admin.createTopic({ topic: `Topic-${name}`, queueNums: 4 })
  const producer = await start(['produce', ...common, 'count=20', `group=${name}-producer`], /done/)
  assert.equal(await producer.exited, 0, producer.text)
  const consumer = await start(['consume', ...common, `group=${name}-consumer`], /started/)
  const got = await collect(consumer, new RegExp(`got (${name}-\\d+) `), 20)
  assert.deepEqual([...new Set(got)].sort(), numbered(name, 20).sort())
  consumer.write('stop')
  await consumer.exited
}

test('the official Go client sends and consumes through us', { skip: skipWithoutGo }, () =>
  roundTrip(startGoPeer, 'go'),
)

test('ali-ons sends and consumes through us', () => roundTrip(startAliOnsPeer, 'ons'))
