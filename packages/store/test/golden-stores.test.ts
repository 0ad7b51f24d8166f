import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { recordLayout } from '@rocketmq-ts/model'
import type { MessageStore } from '@rocketmq-ts/store'
import { filesUnder, type GoldenTruth, goldenStores, optionsOf, sha256, unpackGolden } from './support/golden-stores.ts'
import { openStore, readQueue } from './support/open-store.ts'

/** Where we keep what Java loses: the truth of the undamaged store holds. */
const betterThanJava: Readonly<Record<string, string>> = {
  'c-badconf': 'b-kill9',
  'c-cqlost': 'b-kill9',
  'c-nocq': 'b-kill9',
}

/**
 * Files that differ from Java's by intent: behind the end that recovery finds, Java leaves the bytes of damaged records and of their queue
 * entries; we leave zeros.
 */
const cutsTheTail = new Set(['c-torn', 'c-crc', 'c-magic', 'c-clean-crc', 'd-crc-torn', 'c-cqlost', 'c-nocq'])

/** In controller mode Java indexes the last record again at each start, so its answers name it twice. */
const indexesLastTwice = 'h-controller'

/** After a crash Java has lost the index of earlier files; we have built it anew. */
const indexesMore = new Set(['b-kill9', 'c-badconf', 'c-cqlost', 'c-crc', 'c-magic', 'c-nocq', 'c-torn', 'd-crc-torn'])

async function checkTruth(store: MessageStore, truth: GoldenTruth): Promise<void> {
  assert.equal(store.minPhysicalOffset, truth.commitLog.minOffset)
  assert.equal(store.watermarks.written, truth.commitLog.maxOffset)
  for (const [topic, queues] of Object.entries(truth.topics)) {
    for (const queue of queues) {
      const { queueId, minOffset, maxOffset } = queue
      const where = `${topic}/${queueId}`
      assert.equal(store.minOffset(topic, queueId), minOffset, `minimum of ${where}`)
      assert.equal(store.maxOffset(topic, queueId), maxOffset, `maximum of ${where}`)
      const records = await readQueue(store, topic, queueId, minOffset)
      const seen = records.map(record => [
        Number(record.readBigInt64BE(recordLayout.queueOffset)),
        Number(record.readBigInt64BE(recordLayout.physicalOffset)),
        record.length,
        sha256(record),
      ])
      assert.deepEqual(seen, queue.messages, `messages of ${where}`)
      for (const [timestamp, lower, upper] of queue.searchOffset) {
        assert.equal(store.offsetByTime(topic, queueId, timestamp, 'lower'), lower, `${where} lower ${timestamp}`)
        assert.equal(store.offsetByTime(topic, queueId, timestamp, 'upper'), upper, `${where} upper ${timestamp}`)
      }
    }
  }
}

async function checkIndex(store: MessageStore, truth: GoldenTruth, name: string): Promise<void> {
  const mayKnowMore = indexesMore.has(name)
  for (const [topic, key, answer] of truth.indexQueries) {
    const expected = name === indexesLastTwice ? [...new Set(answer)] : answer
    const { records } = await store.queryIndex(topic, key, 64, 0, Number.MAX_SAFE_INTEGER, false)
    const found = records.map(record => Number(record.readBigInt64BE(recordLayout.physicalOffset)))
    if (mayKnowMore)
      assert.ok(
        expected.every(offset => found.includes(offset)),
        `${topic}#${key}`,
      )
    else assert.deepEqual(found, expected, `${topic}#${key}`)
  }
}

describe('store directories written by Java', () => {
  for (const [name, golden] of Object.entries(goldenStores)) {
    if (golden.truth === undefined) continue
    const truth = goldenStores[betterThanJava[name] ?? name]!.truth!
    const open = { options: optionsOf(golden), batchTopics: golden.batchTopics }

    it(`${name} opens with every message that Java finds, and opens so again`, async t => {
      const directory = unpackGolden(name)
      t.after(() => rmSync(directory, { recursive: true, force: true }))
      for (let round = 1; round <= 2; round++) {
        const store = await openStore(directory, open)
        try {
          await checkTruth(store, truth)
          await checkIndex(store, truth, name)
        } finally {
          await store.close()
        }
        assert.equal(existsSync(join(directory, 'abort')), false)
      }
    })

    if (cutsTheTail.has(name)) continue
    it(`${name} is handed back with the log and queue files that Java leaves`, async t => {
      const directory = unpackGolden(name)
      t.after(() => rmSync(directory, { recursive: true, force: true }))
      const store = await openStore(directory, open)
      await store.close()
      const files = filesUnder(directory)
        .filter(path => /^(commitlog|consumequeue|batchconsumequeue)\//.test(path))
        .sort()
        .map(path => {
          const bytes = readFileSync(join(directory, path))
          return [path, bytes.length, sha256(bytes)]
        })
      const expected = [...golden.filesAfterJavaRestart!].sort(([a], [b]) => (a < b ? -1 : 1))
      assert.deepEqual(files, expected)
    })
  }

  it('a log file of the wrong length refuses the start, naming the file, and gives the directory free', async t => {
    const directory = unpackGolden('c-badsize')
    t.after(() => rmSync(directory, { recursive: true, force: true }))
    const open = () => openStore(directory, { options: optionsOf(goldenStores['c-badsize']!) })
    await assert.rejects(open, { code: 'STORE_CORRUPT', message: /commitlog\/0{20} has 1044480 bytes/ })
    await assert.rejects(open, { code: 'STORE_CORRUPT' })
  })
})
