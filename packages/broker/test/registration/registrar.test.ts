import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { bodyCrc, topicConfig } from '@rocketmq-ts/model'
import {
  kvTable,
  type RegisterBrokerBody,
  ResponseCode,
  registerBroker,
  registerBrokerBody,
  unregisterBroker,
} from '@rocketmq-ts/protocol'
import { RpcClient, RpcServer } from '@rocketmq-ts/remoting'
import { nodeNetwork, silentLogger, systemClock } from '@rocketmq-ts/runtime'
import { type BrokerOptions, createBrokerOptions } from '../../dist/options.js'
import { Registrar } from '../../dist/registration/registrar.js'
import { TopicTable } from '../../dist/topic/topic-table.js'

interface Registration {
  readonly header: Record<string, unknown>
  readonly body: RegisterBrokerBody
}

/** A name server over a real socket that remembers what brokers tell it. */
async function startNameServer(test: TestContext, orderedTopics: string[] = []) {
  const server = new RpcServer({ network: nodeNetwork, clock: systemClock })
  const registrations: Registration[] = []
  const left: string[] = []
  const waiters: { count: number; resolve: () => void }[] = []
  let refusal: string | undefined
  server.router.handle(registerBroker, ({ header, body }) => {
    const bytes = Buffer.from(body!)
    assert.equal(header.bodyCrc32, bodyCrc(bytes))
    registrations.push({ header, body: registerBrokerBody.decode(bytes) })
    for (const waiter of waiters) if (registrations.length >= waiter.count) waiter.resolve()
    if (refusal !== undefined) {
      const remark = refusal
      refusal = undefined
      return { code: ResponseCode.SYSTEM_ERROR, remark }
    }
    return { header: {}, body: kvTable.encode({ table: new Map(orderedTopics.map(topic => [topic, 'broker-a:4'])) }) }
  })
  server.router.handle(unregisterBroker, ({ header }) => {
    left.push(header.brokerAddr)
    return {}
  })
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 })
  test.after(() => server.close())
  return {
    address: `127.0.0.1:${port}`,
    registrations,
    left,
    refuseOnce: (remark: string) => (refusal = remark),
    /** Resolves when `count` registrations have come. */
    came: (count: number) =>
      new Promise<void>(resolve => {
        if (registrations.length >= count) resolve()
        else waiters.push({ count, resolve })
      }),
  }
}

/** An address where nobody listens. */
async function deadAddress(): Promise<string> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise(resolve => server.close(resolve))
  return `127.0.0.1:${port}`
}

function rig(test: TestContext, overrides: Partial<BrokerOptions>) {
  const options = createBrokerOptions({ brokerName: 'broker-a', ...overrides })
  const deps = { options, clock: systemClock, logger: silentLogger }
  const topics = new TopicTable(deps)
  const rpc = new RpcClient({ network: nodeNetwork, clock: systemClock })
  const registrar = new Registrar({ ...deps, rpc, topics })
  test.after(async () => {
    await registrar.stop()
    await rpc.close()
  })
  return { options, topics, registrar }
}

const addresses = { broker: '127.0.0.1:10911', ha: '127.0.0.1:10912' }
const topicsOf = ({ body }: Registration) => [...body.topicConfigSerializeWrapper.topicConfigTable.keys()]

test('a broker registers all topics with every name server, although one of them is down', async t => {
  const [first, second, dead] = [await startNameServer(t), await startNameServer(t), await deadAddress()]
  const { registrar, topics } = rig(t, { nameServers: `${first.address}; ${dead};${second.address};` })
  await registrar.start(addresses)
  assert.deepEqual(registrar.registeredWith, [first.address, second.address])
  for (const { registrations } of [first, second]) {
    const { header } = registrations[0]!
    assert.equal(header.brokerAddr, addresses.broker)
    assert.equal(header.haServerAddr, addresses.ha)
    assert.equal(header.brokerId, 0)
    assert.equal(header.enableActingMaster, false)
    assert.equal(header.heartbeatTimeoutMillis, undefined)
    assert.deepEqual(topicsOf(registrations[0]!).sort(), [...topics.names()].sort())
  }
  await registrar.stop()
  assert.deepEqual(first.left, [addresses.broker])
  assert.deepEqual(second.left, [addresses.broker])
})

test('a new topic is told at once and alone; a deleted one is no longer in the table', async t => {
  const server = await startNameServer(t)
  const { registrar, topics } = rig(t, { nameServers: server.address })
  await registrar.start(addresses)
  topics.update(topicConfig('T'), new Map())
  await server.came(2)
  assert.deepEqual(topicsOf(server.registrations[1]!), ['T'])
  assert.deepEqual(server.registrations[1]!.body.topicConfigSerializeWrapper.dataVersion, topics.dataVersion)
  topics.delete('T')
  await server.came(3)
  assert.equal(topicsOf(server.registrations[2]!).includes('T'), false)
  assert.equal(topicsOf(server.registrations[2]!).includes('TBW102'), true)
})

test('a restarted name server that refuses a lone topic gets the whole table', async t => {
  const server = await startNameServer(t)
  const { registrar, topics } = rig(t, { nameServers: server.address })
  await registrar.start(addresses)
  server.refuseOnce('broker not registered')
  topics.update(topicConfig('T'), new Map())
  await server.came(3)
  assert.equal(topicsOf(server.registrations[2]!).length, topics.size)
})

test('a broker whose permission is restricted registers its topics with the rest', async t => {
  const server = await startNameServer(t)
  const { registrar, options } = rig(t, { nameServers: server.address })
  options.brokerPermission = 4
  await registrar.start(addresses)
  const { topicConfigTable } = server.registrations[0]!.body.topicConfigSerializeWrapper
  assert.equal(topicConfigTable.get('TBW102')?.perm, 4)
  assert.equal(topicConfigTable.get('rmq_sys_SYNC_BROKER_MEMBER_broker-a')?.perm, 0)
})

test('topics that the name server calls ordered become so', async t => {
  const server = await startNameServer(t, ['broker-a', 'unknown'])
  const { registrar, topics } = rig(t, { nameServers: server.address })
  await registrar.start(addresses)
  assert.equal(topics.get('broker-a')?.order, true)
})

test('the list of name servers may change while the broker runs', async t => {
  const [first, second] = [await startNameServer(t), await startNameServer(t)]
  const { registrar, options } = rig(t, { nameServers: first.address })
  await registrar.start(addresses)
  options.nameServers = second.address
  await registrar.registerNow()
  assert.deepEqual(registrar.registeredWith, [second.address])
})

test('without name servers the broker starts and stops all the same', async t => {
  const { registrar } = rig(t, {})
  await registrar.start(addresses)
  assert.deepEqual(registrar.registeredWith, [])
  await registrar.stop()
  await registrar.stop()
})
