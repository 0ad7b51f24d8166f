import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { ClientInstance, resolveClientOptions } from '@rocketmq-ts/client/internal'
import { localAddress } from '../dist/client-id.js'
import type { ConsumerRegistration } from '../dist/consume/consumer-registration.js'
import { parseNameServers } from '../dist/name-servers.js'
import { rejectionOf, startFakeCluster } from './support/fake-cluster.ts'

function consumerOf(group: string): ConsumerRegistration & { rebalances: number } {
  return {
    group,
    rebalances: 0,
    consumeType: 'CONSUME_PASSIVELY',
    messageModel: 'CLUSTERING',
    consumeFromWhere: 'CONSUME_FROM_LAST_OFFSET',
    unitMode: false,
    subscriptions: () => [
      {
        topic: 'T',
        subString: '*',
        expressionType: 'TAG',
        classFilterMode: false,
        subVersion: 1,
        tagsSet: [],
        codeSet: [],
      },
    ],
    onConsumerIdsChanged() {
      this.rebalances++
    },
    resetOffsets() {},
    consumedOffsets: topic => [[{ topic, brokerName: 'b0', queueId: 0 }, 7]],
    runningInfo: () => ({ properties: { A: 'b' }, subscriptionSet: [], mqTable: [], statusTable: {} }),
    consumeDirectly: async () => ({ order: false, autoCommit: true, consumeResult: 'CR_SUCCESS', spentTimeMills: 1 }),
  }
}

test('R13: worker threads of one process have client ids of their own', async () => {
  const url = new URL('../dist/client-id.js', import.meta.url).href
  const script = `
    const { parentPort } = require('node:worker_threads')
    import(${JSON.stringify(url)}).then(({ defaultInstanceName }) => parentPort.postMessage(defaultInstanceName()))
  `
  const names = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const worker = new Worker(script, { eval: true })
      const name = await new Promise<string>((resolve, reject) => {
        worker.once('message', resolve)
        worker.once('error', reject)
      })
      await worker.terminate()
      return name
    }),
  )
  assert.equal(new Set(names).size, 4)
  for (const name of names) assert.match(name, new RegExp(`^${process.pid}#\\d+$`))
})

test('a second consumer of a group gets an instance of its own, unless the user named the instance', async () => {
  const options = resolveClientOptions({ nameServers: '127.0.0.1:1' })
  const first = ClientInstance.acquire(options, { consumerGroup: 'g' })
  const second = ClientInstance.acquire(options, { consumerGroup: 'g' })
  const other = ClientInstance.acquire(options, { consumerGroup: 'h' })
  assert.notEqual(first.clientId, second.clientId)
  assert.equal(other, first)
  const named = resolveClientOptions({ nameServers: '127.0.0.1:1', instanceName: 'mine' })
  const third = ClientInstance.acquire(named, { consumerGroup: 'g' })
  assert.throws(() => ClientInstance.acquire(named, { consumerGroup: 'g' }), { code: 'INVALID_STATE' })
  await Promise.all([first, second, other, third].map(instance => instance.release()))
})

test('a released instance leaves the table, and the same options make a new one', async () => {
  const options = resolveClientOptions({ nameServers: '127.0.0.1:1' })
  const first = ClientInstance.acquire(options)
  await first.release()
  const second = ClientInstance.acquire(options)
  assert.notEqual(first, second)
  assert.equal((await rejectionOf(first.start())).code, 'INVALID_STATE')
  await second.release()
})

test('clients of other name servers, and streams, share nothing', async () => {
  const one = ClientInstance.acquire(resolveClientOptions({ nameServers: '127.0.0.1:1' }))
  const two = ClientInstance.acquire(resolveClientOptions({ nameServers: '127.0.0.1:2' }))
  const stream = ClientInstance.acquire(resolveClientOptions({ nameServers: '127.0.0.1:1' }), { stream: true })
  assert.notEqual(one, two)
  assert.equal(stream.clientId, `${one.clientId}@STREAM`)
  await Promise.all([one, two, stream].map(instance => instance.release()))
})

test('a heartbeat tells all groups to masters, and to slaves only when there is a consumer', async () => {
  await using cluster = await startFakeCluster(2)
  const [master, slave] = cluster.brokers
  cluster.nameServer.routes.set('T', [{ brokerName: 'b0', addresses: { 0: master!.address, 1: slave!.address } }])
  const instance = ClientInstance.acquire(resolveClientOptions({ nameServers: cluster.nameServer.address }))
  await instance.start()
  const producer = { topics: () => [] }
  instance.registerProducer('p', producer)
  await instance.routes.refresh('T')
  await instance.sendHeartbeats()
  assert.deepEqual([master!.heartbeats.length, slave!.heartbeats.length], [1, 0])
  const consumer = consumerOf('c')
  instance.registerConsumer('c', consumer)
  assert.throws(() => instance.registerConsumer('c', consumer), { code: 'INVALID_STATE' })
  await instance.sendHeartbeats()
  assert.equal(slave!.heartbeats.length >= 1, true)
  const beat = slave!.heartbeats.at(-1)!
  assert.equal(beat.consumerDataSet[0]!.groupName, 'c')
  assert.equal(beat.consumerDataSet[0]!.subscriptionDataSet[0]!.topic, 'T')
  assert.equal(beat.heartbeatFingerprint, 0)
  assert.equal(instance.brokerVersion(master!.address), 479)
  await instance.unregisterConsumer('c')
  await instance.unregisterProducer('p', producer)
  assert.deepEqual(slave!.unregistered[0], { clientID: instance.clientId, consumerGroup: 'c' })
  await instance.release()
})

test('the second heartbeat of version 2 is short, and full again after the queues changed', async () => {
  await using cluster = await startFakeCluster(1)
  const options = resolveClientOptions({ nameServers: cluster.nameServer.address, heartbeatV2: true })
  const instance = ClientInstance.acquire(options)
  await instance.routes.refresh('T')
  instance.registerConsumer('c', consumerOf('c'))
  const broker = cluster.brokers[0]!
  const isShort: boolean[] = []
  for (let round = 0; round < 3; round++) {
    await instance.sendHeartbeats()
    isShort.push(broker.heartbeats.at(-1)!.withoutSub)
    if (round === 1) instance.forgetHeartbeatFingerprints()
  }
  assert.deepEqual(isShort, [false, true, false])
  assert.notEqual(broker.heartbeats[0]!.heartbeatFingerprint, 0)
  assert.deepEqual(broker.heartbeats[1]!.consumerDataSet[0]!.subscriptionDataSet, [])
  await instance.unregisterConsumer('c')
  await instance.release()
})

test('requests of brokers reach the consumer of the group they name', async () => {
  await using cluster = await startFakeCluster(1)
  const instance = ClientInstance.acquire(resolveClientOptions({ nameServers: cluster.nameServer.address }))
  await instance.start()
  await instance.routes.refresh('T')
  const consumer = consumerOf('c')
  instance.registerConsumer('c', consumer)
  await instance.sendHeartbeats()
  const [connection] = cluster.brokers[0]!.server.connections
  const protocol = await import('@rocketmq-ts/protocol')
  const ask = (code: number, ext: Record<string, string>, body?: Buffer) =>
    connection!.call(protocol.requestCommand(code, ext, body), 5000)
  const before = consumer.rebalances
  assert.equal((await ask(40, { consumerGroup: 'c' })).code, 0)
  assert.equal(consumer.rebalances, before + 1)
  const status = protocol.getConsumerStatusBody.decode((await ask(221, { topic: 'T', group: 'c' })).body!)
  assert.deepEqual([...status.messageQueueTable.values()], [7])
  const info = protocol.consumerRunningInfo.decode((await ask(307, { consumerGroup: 'c', clientId: 'x' })).body!)
  assert.equal(info.properties.get('A'), 'b')
  const direct = await ask(
    309,
    { consumerGroup: 'c', clientId: 'x', msgId: 'm', brokerName: 'b0' },
    Buffer.from('record'),
  )
  assert.equal(protocol.consumeMessageDirectlyResult.decode(direct.body!).consumeResult, 'CR_SUCCESS')
  const unknown = await ask(307, { consumerGroup: 'nobody', clientId: 'x' })
  assert.equal(unknown.code, 1)
  assert.match(unknown.remark ?? '', /nobody/)
  await instance.unregisterConsumer('c')
  await instance.release()
})

test('a broker that comes back hears of the groups at once, and consumers look at their queues', async () => {
  await using cluster = await startFakeCluster(1)
  const instance = ClientInstance.acquire(resolveClientOptions({ nameServers: cluster.nameServer.address }))
  await instance.start()
  await instance.routes.refresh('T')
  const consumer = consumerOf('c')
  instance.registerConsumer('c', consumer)
  await instance.sendHeartbeats()
  const broker = cluster.brokers[0]!
  const [connection] = broker.server.connections
  const beats = broker.heartbeats.length
  const rebalances = consumer.rebalances
  connection!.close('restart')
  await connection!.closed
  await instance.rpc.connect(broker.address)
  await broker.seen('heartbeats', beats + 1)
  while (consumer.rebalances === rebalances) await new Promise(resolve => setImmediate(resolve))
  await instance.unregisterConsumer('c')
  await instance.release()
})

test('name server lists are split at semicolons, commas and blanks, and an instance form names the namespace', () => {
  assert.deepEqual(parseNameServers('a:1;b:2, c:3').addresses, ['a:1', 'b:2', 'c:3'])
  assert.deepEqual(parseNameServers(['a:1', 'a:1', '[::1]:9876']).addresses, ['a:1', '[::1]:9876'])
  const instance = parseNameServers('http://MQ_INST_123_abc.example.com:80')
  assert.deepEqual(instance, { addresses: ['MQ_INST_123_abc.example.com:80'], namespace: 'MQ_INST_123_abc' })
  for (const bad of ['host', 'host:', ':1', 'host:port'])
    assert.throws(() => parseNameServers(bad), { code: 'INVALID_ARGUMENT' })
})

test('the local address is neither loopback nor link-local, and IPv4 before IPv6', () => {
  const entry = (address: string, family: 'IPv4' | 'IPv6', internal = false) =>
    ({ address, family, internal, netmask: '', mac: '', cidr: null, scopeid: 0 }) as never
  const addresses = {
    lo: [entry('127.0.0.1', 'IPv4', true)],
    eth0: [
      entry('fe80::1', 'IPv6'),
      entry('2001:db8::1', 'IPv6'),
      entry('169.254.1.1', 'IPv4'),
      entry('10.0.0.5', 'IPv4'),
    ],
  }
  assert.equal(localAddress(addresses), '10.0.0.5')
  assert.equal(localAddress({ eth0: [entry('fe80::1', 'IPv6'), entry('2001:db8::1', 'IPv6')] }), '2001:db8::1')
  assert.equal(localAddress({}), '127.0.0.1')
})
