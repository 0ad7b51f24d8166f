import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProducer, createPullConsumer } from '@rocketmq-ts/client'
import {
  javaMqadmin,
  propertiesText,
  startJava,
  startJavaBroker,
  startJavaNamesrv,
  startOurStandalone,
  temporaryDirectory,
} from '../../peers/dist/index.js'
import { eventually, numbered, skipWithoutJava } from './setup.ts'

/** The sizes of both brokers must agree, as an operator who exchanges them would set them. */
const sizes = {
  mappedFileSizeCommitLog: 1_048_576,
  mappedFileSizeConsumeQueue: 20_000,
  maxHashSlotNum: 1000,
  maxIndexNum: 4000,
}
const config = { brokerName: 'broker-a', fileReservedTime: 876_000, diskMaxUsedSpaceRatio: 95, ...sizes }

interface Stored {
  readonly queueId: number
  readonly queueOffset: number
  readonly body: string
  readonly offsetMessageId: string
}

/** Everything in a topic, by our pull consumer. */
async function readAll(nameServers: string, topic: string): Promise<Stored[]> {
  await using consumer = await createPullConsumer({ nameServers, group: 'exchange-reader' })
  const found: Stored[] = []
  for (const queue of await consumer.fetchMessageQueues(topic)) {
    for (let offset = await consumer.minOffset(queue); offset < (await consumer.maxOffset(queue)); ) {
      const result = await consumer.pull(queue, { offset, maxCount: 32 })
      for (const message of result.messages) {
        const { queueId, queueOffset, offsetMessageId } = message
        found.push({ queueId, queueOffset, offsetMessageId, body: message.body.toString() })
      }
      offset = result.nextBeginOffset
    }
  }
  return found.sort((a, b) => a.queueId - b.queueId || a.queueOffset - b.queueOffset)
}

async function sendOurs(nameServers: string, prefix: string, count: number): Promise<void> {
  await using producer = await createProducer({ nameServers, group: 'exchange-producer' })
  for (const body of numbered(prefix, count)) {
    const { status } = await producer.send({ topic: 'Exchange', body: body.padEnd(2000, '.'), keys: [body], tags: 'x' })
    assert.equal(status, 'SEND_OK')
  }
}

/** What both brokers must tell about the same directory; the address part of an id is the broker's, not the store's. */
function facts(messages: readonly Stored[]): string[] {
  return messages.map(
    each => `${each.queueId} ${each.queueOffset} ${each.body.slice(0, 20)} ${each.offsetMessageId.slice(-16)}`,
  )
}

async function ourTurn<T>(
  directory: string,
  home: string,
  end: 'SIGTERM' | 'SIGKILL',
  use: (namesrv: string) => Promise<T>,
): Promise<T> {
  const { writeFileSync } = await import('node:fs')
  const configFile = `${home}/ours.conf`
  writeFileSync(configFile, propertiesText(config))
  const ours = await startOurStandalone(directory, { configFile })
  try {
    return await use(ours.namesrv)
  } finally {
    await ours.process.stop(end)
  }
}

async function javaTurn<T>(
  directory: string,
  home: string,
  end: 'SIGTERM' | 'SIGKILL',
  use: (namesrv: string) => Promise<T>,
): Promise<T> {
  const namesrv = await startJavaNamesrv(home)
  const broker = await startJavaBroker(home, namesrv.address, directory, { config: sizes })
  try {
    return await use(namesrv.address)
  } finally {
    await broker.process.stop(end)
    await namesrv.process.stop()
  }
}

for (const end of ['SIGTERM', 'SIGKILL'] as const) {
  const how = end === 'SIGTERM' ? 'after a clean stop' : 'after kill -9'

  test(`a store that we wrote opens in the Java broker ${how}, and comes back to us`, {
    skip: skipWithoutJava,
  }, async () => {
    const home = temporaryDirectory('exchange')
    const directory = `${home.path}/store`
    const written = await ourTurn(directory, home.path, end, async namesrv => {
      await sendOurs(namesrv, 'ours', 700)
      return facts(await readAll(namesrv, 'Exchange'))
    })
    assert.equal(written.length, 700)
    const inJava = await javaTurn(directory, home.path, end, async namesrv => {
      const before = facts(await readAll(namesrv, 'Exchange'))
      const byKey = await javaMqadmin(home.path, ['queryMsgByKey', '-t', 'Exchange', '-k', 'ours-650', '-n', namesrv])
      assert.match(byKey.output, /[0-9A-F]{32}/, byKey.output)
      const producer = await startJava(
        'java producer',
        'JavaPeer',
        ['produce', `namesrv=${namesrv}`, 'topic=Exchange', 'count=50'],
        {
          home: home.path,
        },
      )
      assert.equal(await producer.exited, 0, producer.text)
      return before
    })
    assert.deepEqual(inJava, written)
    const back = await ourTurn(directory, home.path, 'SIGTERM', async namesrv =>
      facts(await readAll(namesrv, 'Exchange')),
    )
    assert.equal(back.length, 750)
    assert.deepEqual(
      back.filter(line => line.includes(' ours-')),
      written,
    )
    home.dispose()
  })

  test(`a store that the Java broker wrote opens in ours ${how}, with its offsets`, {
    skip: skipWithoutJava,
  }, async () => {
    const home = temporaryDirectory('exchange')
    const directory = `${home.path}/store`
    const written = await javaTurn(directory, home.path, end, async namesrv => {
      await sendOurs(namesrv, 'theirs', 700)
      const consumer = await startJava(
        'java consumer',
        'JavaPeer',
        ['consume', `namesrv=${namesrv}`, 'topic=Exchange', 'group=exchange'],
        {
          home: home.path,
          ready: /started/,
        },
      )
      await eventually('700 messages', () => [...consumer.text.matchAll(/got theirs-/g)].length >= 700)
      consumer.write('stop')
      await consumer.exited
      return facts(await readAll(namesrv, 'Exchange'))
    })
    const inOurs = await ourTurn(directory, home.path, end, async namesrv => {
      // A killed Java broker may have lost the offsets of its last five seconds; a stopped one has not.
      if (end === 'SIGKILL') return facts(await readAll(namesrv, 'Exchange'))
      const progress = await javaMqadmin(home.path, ['consumerProgress', '-g', 'exchange', '-n', namesrv])
      assert.match(progress.output, /Consume Diff Total: 0\b/, progress.output)
      return facts(await readAll(namesrv, 'Exchange'))
    })
    assert.equal(written.length, 700)
    assert.deepEqual(inOurs, written)
    home.dispose()
  })
}
