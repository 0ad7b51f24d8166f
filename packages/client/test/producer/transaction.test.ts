import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTransactionProducer, type TransactionCheck } from '@rocketmq-ts/client'
import { decodeProperties, encodeStoredMessage, parseHost } from '@rocketmq-ts/model'
import { type RemotingCommand, RequestCode, requestCommand } from '@rocketmq-ts/protocol'
import { type FakeBroker, rejectionOf, startFakeCluster } from '../support/fake-cluster.ts'

function endsOf(broker: FakeBroker): { ends: RemotingCommand[]; seen(count: number): Promise<void> } {
  const ends: RemotingCommand[] = []
  let wake = () => {}
  broker.server.router.handleRaw(RequestCode.END_TRANSACTION, command => {
    ends.push(command)
    void command.extFields
    wake()
  })
  return {
    ends,
    async seen(count) {
      while (ends.length < count) {
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
    },
  }
}

const never: TransactionCheck = async () => 'UNKNOWN'

test('the half message is marked, the transaction runs once it is stored, and its end reaches the same broker', async () => {
  await using cluster = await startFakeCluster(1)
  const broker = cluster.brokers[0]!
  const { ends, seen } = endsOf(broker)
  await using producer = await createTransactionProducer({
    nameServers: cluster.nameServer.address,
    group: 'tx',
    check: never,
  })
  let storedBefore = 0
  const result = await producer.sendInTransaction({ topic: 'T', body: 'half', keys: 'k' }, async (message, context) => {
    storedBefore = broker.sends.length
    assert.equal(message.topic, 'T')
    assert.equal(context.messageId.length, 32)
    return 'COMMIT'
  })
  assert.equal(storedBefore, 1)
  assert.equal(result.state, 'COMMIT')
  const properties = decodeProperties(broker.sends[0]!.header.properties as string)
  assert.equal(properties.get('TRAN_MSG'), 'true')
  assert.equal(properties.get('PGROUP'), 'tx')
  assert.equal(properties.get('KEYS'), 'k')
  assert.equal(broker.sends[0]!.header.sysFlag & 0xc, 4)
  await seen(1)
  assert.equal(ends[0]!.isOneway, true)
  assert.deepEqual(
    { ...ends[0]!.extFields },
    {
      topic: 'T',
      producerGroup: 'tx',
      tranStateTableOffset: '0',
      commitLogOffset: '1',
      commitOrRollback: '8',
      fromTransactionCheck: 'false',
      msgId: result.messageId,
      bname: 'b0',
    },
  )
})

for (const [state, wire] of [
  ['ROLLBACK', '12'],
  ['UNKNOWN', '0'],
] as const) {
  test(`outcome ${state} travels as ${wire}`, async () => {
    await using cluster = await startFakeCluster(1)
    const { ends, seen } = endsOf(cluster.brokers[0]!)
    await using producer = await createTransactionProducer({
      nameServers: cluster.nameServer.address,
      group: 'tx',
      check: never,
    })
    assert.equal((await producer.sendInTransaction({ topic: 'T', body: 'x' }, async () => state)).state, state)
    await seen(1)
    assert.equal(ends[0]!.extFields?.commitOrRollback, wire)
  })
}

test('a transaction that throws leaves the broker to ask, and the error to the caller', async () => {
  await using cluster = await startFakeCluster(1)
  const { ends, seen } = endsOf(cluster.brokers[0]!)
  await using producer = await createTransactionProducer({
    nameServers: cluster.nameServer.address,
    group: 'tx',
    check: never,
  })
  const mine = new Error('database is down')
  const thrown = await rejectionOf(
    producer.sendInTransaction({ topic: 'T', body: 'x' }, async () => {
      throw mine
    }),
  )
  assert.equal(thrown, mine)
  await seen(1)
  assert.equal(ends[0]!.extFields?.commitOrRollback, '0')
  assert.match(ends[0]!.remark ?? '', /database is down/)
})

test('a half message that is not stored safely is rolled back without running the transaction', async () => {
  await using cluster = await startFakeCluster(1)
  cluster.brokers[0]!.script = () => 10
  const { ends, seen } = endsOf(cluster.brokers[0]!)
  await using producer = await createTransactionProducer({
    nameServers: cluster.nameServer.address,
    group: 'tx',
    check: never,
  })
  let ran = false
  const result = await producer.sendInTransaction({ topic: 'T', body: 'x' }, async () => {
    ran = true
    return 'COMMIT'
  })
  assert.equal(ran, false)
  assert.equal(result.state, 'ROLLBACK')
  await seen(1)
  assert.equal(ends[0]!.extFields?.commitOrRollback, '12')
})

test('R33: a delay in a transaction is refused before anything is sent', async () => {
  await using cluster = await startFakeCluster(1)
  await using producer = await createTransactionProducer({
    nameServers: cluster.nameServer.address,
    group: 'tx',
    check: never,
  })
  for (const delay of [{ delayLevel: 1 }, { delayMs: 1 }, { deliverAtMs: 1 }]) {
    const error = await rejectionOf(
      producer.sendInTransaction({ topic: 'T', body: 'x', ...delay }, async () => 'COMMIT'),
    )
    assert.equal(error.code, 'INVALID_ARGUMENT')
  }
  assert.equal(cluster.brokers[0]!.sends.length, 0)
})

test('a transaction producer without check is refused', async () => {
  const error = await rejectionOf(createTransactionProducer({ nameServers: '127.0.0.1:1', group: 'tx' } as never))
  assert.equal(error.code, 'INVALID_ARGUMENT')
})

function halfRecord(group: string, id: string): Buffer {
  return encodeStoredMessage({
    magic: -626843481,
    bodyCrc: 0,
    queueId: 2,
    flag: 0,
    queueOffset: 9,
    physicalOffset: 4711,
    sysFlag: 0,
    bornTimestamp: 1,
    bornHost: parseHost('127.0.0.1:1'),
    storeTimestamp: 2,
    storeHost: parseHost('127.0.0.1:2'),
    reconsumeTimes: 0,
    preparedTransactionOffset: 0,
    body: Buffer.from('half'),
    topic: 'T',
    propertiesText: `PGROUP\u0001${group}\u0002UNIQ_KEY\u0001${id}\u0002`,
  })
}

test('a broker that asks gets the answer of check, with the offsets it gave; other groups are not asked', async () => {
  await using cluster = await startFakeCluster(1)
  const broker = cluster.brokers[0]!
  const { ends, seen } = endsOf(broker)
  const asked: string[] = []
  const check: TransactionCheck = async (message, context) => {
    asked.push(`${message.topic} ${message.body} ${context.messageId} ${context.transactionId}`)
    if (context.messageId === 'ID2') throw new Error('no idea')
    return 'COMMIT'
  }
  await using producer = await createTransactionProducer({
    nameServers: cluster.nameServer.address,
    group: 'tx',
    check,
  })
  await producer.send({ topic: 'T', body: 'opens the connection' })
  const [connection] = broker.server.connections
  const ask = (group: string, id: string) => {
    const ext = {
      topic: 'RMQ_SYS_TRANS_HALF_TOPIC',
      tranStateTableOffset: '5',
      commitLogOffset: '4711',
      msgId: id,
      transactionId: `tx-${id}`,
      bname: 'b0',
    }
    connection!.sendOneway(requestCommand(RequestCode.CHECK_TRANSACTION_STATE, ext, halfRecord(group, id)))
  }
  ask('others', 'ID0')
  ask('tx', 'ID1')
  ask('tx', 'ID2')
  await seen(2)
  assert.deepEqual(asked, ['T half ID1 tx-ID1', 'T half ID2 tx-ID2'])
  const [first, second] = ends.sort((a, b) => (a.extFields!.msgId! < b.extFields!.msgId! ? -1 : 1))
  assert.deepEqual(
    { ...first!.extFields },
    {
      topic: 'T',
      producerGroup: 'tx',
      tranStateTableOffset: '5',
      commitLogOffset: '4711',
      commitOrRollback: '8',
      fromTransactionCheck: 'true',
      msgId: 'ID1',
      transactionId: 'tx-ID1',
      bname: 'b0',
    },
  )
  assert.equal(second!.extFields?.commitOrRollback, '0')
  assert.match(second!.remark ?? '', /no idea/)
})

test('brokers hear of the group before its first message, because they may have old ones to ask about', async () => {
  await using cluster = await startFakeCluster(1)
  const broker = cluster.brokers[0]!
  cluster.nameServer.routes.set('TBW102', [broker.route])
  const options = { nameServers: cluster.nameServer.address, group: 'tx', check: never }
  await using producer = await createTransactionProducer(options)
  await broker.seen('heartbeats', 1)
  assert.equal(broker.heartbeats[0]!.clientID, producer.clientId)
})
