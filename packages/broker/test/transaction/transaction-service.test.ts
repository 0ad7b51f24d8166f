import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findProperty, systemTopics } from '@rocketmq-ts/model'
import { COMMIT, property, ROLLBACK, TransactionRig } from '../support/transaction-rig.js'

async function started(options: ConstructorParameters<typeof TransactionRig>[0] = {}): Promise<TransactionRig> {
  const rig = new TransactionRig(options)
  await rig.start()
  return rig
}

test('a committed message is what was sent, with the place of its half', async () => {
  const rig = await started()
  const place = rig.half('body', { TAGS: 'a', KEYS: 'k' })
  await rig.advance(1)
  assert.equal(await rig.end(place, COMMIT), undefined)
  await rig.advance(0)
  assert.deepEqual(rig.answers, [true])
  const [half] = await rig.halves()
  const [message] = await rig.messages('T')
  assert.equal(message!.body.toString(), 'body')
  assert.equal(message!.propertiesText, half!.propertiesText)
  assert.equal(message!.sysFlag, COMMIT)
  assert.equal(message!.flag, 5)
  assert.equal(message!.preparedTransactionOffset, place.physicalOffset)
  assert.deepEqual([message!.bornTimestamp, message!.bornHost], [half!.bornTimestamp, half!.bornHost])
  await rig.stop()
})

test('a commit that is not written is answered so, and may be tried again', async () => {
  const rig = await started()
  const place = rig.half('body')
  await rig.advance(1)
  rig.disk.hook = operation => {
    void operation
    throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
  }
  assert.equal(await rig.end(place, COMMIT), undefined)
  await rig.advance(0)
  rig.disk.hook = undefined
  assert.deepEqual(rig.answers, [false])
  assert.deepEqual(await rig.bodies(), [])
  assert.equal(rig.service.decisions.isDecided(place.queueOffset), false)
  assert.equal(rig.service.ops.waiting, 0)
})

test("op messages have Java's form, and are written after the batch interval or when they are full", async () => {
  const rig = await started({ transactionOpBatchInterval: 3000 })
  const places = Array.from({ length: 6 }, (_, i) => rig.half(`${i}`))
  await rig.advance(1)
  for (const i of [0, 1, 3, 5, 4]) await rig.end(places[i]!, i % 2 === 0 ? COMMIT : ROLLBACK)
  await rig.advance(2998)
  assert.deepEqual(await rig.ops(), [])
  await rig.advance(2)
  // Rollbacks first: a commit is done only when its message is written.
  assert.deepEqual(await rig.ops(), ['1,3,5,0,4,'])
  const [message] = await rig.messages(systemTopics.transactionOpHalf)
  assert.equal(message!.propertiesText, 'WAIT\u0001true\u0002TAGS\u0001d\u0002')
  rig.options.transactionOpMsgMaxSize = 4
  const more = [rig.half('6'), rig.half('7'), rig.half('8')]
  await rig.advance(1)
  for (const place of more) await rig.end(place, ROLLBACK)
  await rig.advance(0)
  assert.deepEqual((await rig.ops()).slice(1), ['6,7,'])
  await rig.stop()
  await rig.start()
  assert.deepEqual((await rig.ops()).slice(1), ['6,7,', '8,'], 'a stopping broker writes what waits')
  await rig.stop()
})

test('a rolled back message is delivered to nobody, nor is it when it is committed afterwards', async () => {
  const rig = await started()
  const place = rig.half('body')
  await rig.advance(1)
  assert.equal((await rig.end(place, ROLLBACK))!.code, 0)
  assert.equal((await rig.end(place, COMMIT))!.code, 0)
  await rig.advance(120_000)
  assert.deepEqual(await rig.bodies(), [])
  assert.deepEqual(rig.questions(), [])
  await rig.stop()
})

test('a second commit of a message delivers nothing more', async () => {
  const rig = await started()
  const place = rig.half('body')
  await rig.advance(1)
  await rig.end(place, COMMIT)
  assert.equal((await rig.end(place, COMMIT))!.code, 0)
  await rig.advance(0)
  assert.equal((await rig.end(place, COMMIT))!.code, 0)
  await rig.advance(0)
  assert.deepEqual(await rig.bodies(), ['body'])
  await rig.stop()
})

test('an end is refused that does not fit its half message', async () => {
  const rig = await started({ transactionTimeoutMs: 6000 })
  const place = rig.half('body')
  const late = rig.half('late', { CHECK_IMMUNITY_TIME_IN_SECONDS: '7' })
  await rig.advance(1)
  const refused = async (...args: Parameters<TransactionRig['end']>) => Object.values((await rig.end(...args))!)
  assert.deepEqual(await refused(place, COMMIT, { group: 'Q' }), [1, 'The producer group wrong'])
  const elsewhere = { ...place, queueOffset: 7 }
  assert.deepEqual(await refused(elsewhere, COMMIT), [1, 'The transaction state table offset wrong'])
  const missing = [1, 'Find prepared transaction message failed']
  assert.deepEqual(await refused({ queueOffset: 0, physicalOffset: 1 << 30 }, ROLLBACK), missing)
  assert.deepEqual(await refused({ queueOffset: 0, physicalOffset: place.physicalOffset + 1 }, COMMIT), missing)
  assert.equal(await rig.end(place, 0), undefined)
  assert.equal(await rig.end(place, 4), undefined)
  await rig.advance(7000)
  assert.deepEqual(await refused(late, COMMIT), [604, ''])
  assert.equal(await rig.end(late, COMMIT, { fromTransactionCheck: true }), undefined)
  await rig.end(place, COMMIT)
  await rig.advance(0)
  const [, message] = await rig.messages('T')
  const committed = { queueOffset: message!.queueOffset, physicalOffset: message!.physicalOffset }
  assert.deepEqual(await refused(committed, COMMIT), missing, 'what is committed is no half message')
  rig.options.brokerRole = 'SLAVE'
  assert.deepEqual(await refused(place, COMMIT), [11, ''])
  await rig.stop()
})

test('only what has not ended is asked about, not too often, and given up in the end', async () => {
  const rig = await started({ transactionTimeoutMs: 3000, transactionCheckIntervalMs: 3000, transactionCheckMax: 5 })
  const count = 200
  const places = Array.from({ length: count }, (_, i) => rig.half(`${i}`))
  await rig.advance(1)
  for (let i = 0; i < count; i += 2) await rig.end(places[i]!, COMMIT)
  const asked = new Map<string, number[]>()
  for (let step = 0; step < 120; step++) {
    await rig.advance(500)
    for (const { body } of rig.questions()) asked.set(body, [...(asked.get(body) ?? []), rig.clock.now()])
  }
  assert.equal(asked.size, count / 2)
  for (const [body, times] of asked) {
    assert.equal(Number(body) % 2, 1, 'a committed one is not asked about')
    assert.equal(times.length, 5)
    for (let i = 1; i < times.length; i++) assert.ok(times[i]! - times[i - 1]! >= 3000)
  }
  assert.equal((await rig.halves()).length, count + (count / 2) * 5)
  assert.equal((await rig.bodies(systemTopics.transactionCheckMaxTime)).length, count / 2)
  assert.ok(rig.topics.includes(systemTopics.transactionCheckMaxTime))
  assert.equal(rig.positions()[0], count + (count / 2) * 5)
  await rig.stop()
})

test('the question has the message as it will be delivered, and the place of its copy', async () => {
  const rig = await started()
  const place = rig.half('body', { KEYS: 'k' })
  await rig.advance(30_000)
  const [question] = rig.questions()
  assert.equal(question!.body, 'body')
  assert.equal(question!.message.topic, 'T')
  assert.notEqual(question!.queueOffset, place.queueOffset)
  assert.equal(property(question!.message, 'TRANSACTION_CHECK_TIMES'), '1')
  const [, copy] = await rig.halves()
  assert.deepEqual([copy!.queueOffset, copy!.physicalOffset], [question!.queueOffset, question!.physicalOffset])
  assert.deepEqual([copy!.flag, copy!.bornTimestamp], [5, question!.message.bornTimestamp])
  await rig.end(question!, COMMIT, { fromTransactionCheck: true })
  await rig.advance(90_000)
  assert.deepEqual(await rig.bodies(), ['body'])
  assert.deepEqual(rig.questions(), [])
  assert.deepEqual(rig.positions(), [2, 1])
  await rig.stop()
})

test('a late end of the original ends the copy as well', async () => {
  const rig = await started()
  const place = rig.half('body')
  await rig.advance(30_000)
  await rig.advance(30_000)
  const questions = rig.questions()
  assert.equal(questions.length, 2)
  await rig.end(place, COMMIT)
  await rig.end(questions[0]!, COMMIT, { fromTransactionCheck: true })
  await rig.advance(1)
  await rig.end(questions[1]!, COMMIT, { fromTransactionCheck: true })
  await rig.advance(90_000)
  assert.deepEqual(await rig.bodies(), ['body'])
  assert.deepEqual(rig.questions(), [])
  await rig.stop()
})

test('a message with its own immunity holds up nobody, and is asked about when that is over', async () => {
  const rig = await started({ transactionCheckMax: 2 })
  rig.half('patient', { CHECK_IMMUNITY_TIME_IN_SECONDS: '130' })
  const done = rig.half('done', { CHECK_IMMUNITY_TIME_IN_SECONDS: '130' })
  rig.half('plain')
  await rig.advance(30_000)
  assert.deepEqual(
    rig.questions().map(({ body }) => body),
    ['plain'],
  )
  const copies = (await rig.halves()).filter(message => property(message, 'TRAN_PREPARED_QUEUE_OFFSET') !== undefined)
  assert.deepEqual(
    copies.map(message => property(message, 'TRAN_PREPARED_QUEUE_OFFSET')),
    ['0', '1'],
  )
  assert.equal(property(copies[0], 'TRANSACTION_CHECK_TIMES'), undefined)
  await rig.end(done, COMMIT)
  for (let i = 0; i < 3; i++) await rig.advance(30_000)
  assert.deepEqual(
    rig.questions().filter(({ body }) => body !== 'plain'),
    [],
  )
  await rig.advance(30_000)
  assert.deepEqual(
    rig.questions().map(({ body }) => body),
    ['patient'],
  )
  assert.deepEqual(await rig.bodies(), ['done'])
  await rig.stop()
})

test('a half that is younger than the time-out ends the round, whatever the clock of its producer says', async () => {
  const rig = await started({ transactionTimeoutMs: 40_000 })
  rig.half('first')
  rig.half('ahead', {}, rig.clock.now() + 3_600_000)
  await rig.advance(30_000)
  assert.deepEqual(rig.questions(), [])
  assert.equal((await rig.halves()).length, 2)
  await rig.advance(30_000)
  assert.deepEqual(
    rig.questions().map(({ body }) => body),
    ['first', 'ahead'],
  )
  await rig.stop()
})

test('without a producer nobody is asked, and it counts; one that does not read is not asked, and it does not', async () => {
  const rig = await started()
  rig.half('body')
  rig.producer.state = 'congested'
  await rig.advance(30_000)
  assert.deepEqual(rig.questions(), [])
  rig.offline()
  await rig.advance(30_000)
  const halves = await rig.halves()
  assert.deepEqual(
    halves.map(message => property(message, 'TRANSACTION_CHECK_TIMES')),
    [undefined, undefined, '1'],
  )
  rig.producer.state = 'open'
  rig.online()
  await rig.advance(30_000)
  assert.equal(rig.questions().length, 1)
  await rig.stop()
})

test('a broker that stops and starts goes on where it was, and asks for nothing that has ended', async () => {
  const rig = await started()
  const places = [rig.half('a'), rig.half('b'), rig.half('c')]
  await rig.advance(1)
  await rig.end(places[0]!, COMMIT)
  await rig.end(places[2]!, ROLLBACK)
  await rig.stop()
  await rig.start()
  assert.deepEqual(await rig.ops(), ['2,0,'])
  await rig.advance(30_000)
  assert.deepEqual(
    rig.questions().map(({ body }) => body),
    ['b'],
  )
  assert.deepEqual(await rig.bodies(), ['a'])
  assert.deepEqual(rig.positions(), [3, 1])
  const halves = await rig.halves()
  assert.equal(halves.length, 4)
  assert.equal(findProperty(halves[3]!.propertiesText, 'PGROUP'), 'P')
  await rig.stop()
})

test('op messages of older brokers, with one offset and no comma, count', async () => {
  const rig = await started()
  rig.half('a')
  rig.half('b')
  const topic = systemTopics.transactionOpHalf
  rig.store.append({
    topic,
    topicBytes: Buffer.from(topic),
    queueId: 0,
    flag: 0,
    sysFlag: 0,
    bornTimestamp: 0,
    bornHost: { address: Buffer.alloc(4), port: 1 },
    storeHost: { address: Buffer.alloc(4), port: 1 },
    reconsumeTimes: 0,
    preparedTransactionOffset: 0,
    body: Buffer.from('0'),
    properties: 'TAGS\u0001d\u0002',
    tagsCode: 100,
    keys: undefined,
    uniqueKey: undefined,
  })
  await rig.advance(1)
  await rig.stop()
  await rig.start()
  await rig.advance(30_000)
  assert.deepEqual(
    rig.questions().map(({ body }) => body),
    ['b'],
  )
  await rig.stop()
})

test('rounds in which nothing happens note no positions, so that an idle broker has no offsets to save', async () => {
  const rig = await started()
  for (let round = 0; round < 3; round++) await rig.advance(120_000)
  assert.equal(rig.offsets.query('CID_RMQ_SYS_TRANS', systemTopics.transactionHalf, 0), -1)
  assert.equal(rig.offsets.isDirty, false)
  const place = rig.half('body')
  await rig.advance(1)
  await rig.end(place, COMMIT)
  await rig.advance(120_000)
  await rig.advance(120_000)
  assert.equal(rig.offsets.query('CID_RMQ_SYS_TRANS', systemTopics.transactionHalf, 0), 1)
  await rig.stop()
})
