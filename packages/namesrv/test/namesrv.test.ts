import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { bodyCrc, topicConfig } from '@rocketmq-ts/model'
import { type Namesrv, startNamesrv } from '@rocketmq-ts/namesrv'
import {
  brokerHeartbeat,
  clusterInfo,
  decodeFrame,
  encodeCompressedRegisterBrokerBody,
  encodeHeader,
  getAllTopicListFromNameserver,
  getBrokerClusterInfo,
  getNamesrvConfig,
  getRouteinfoByTopic,
  notifyMinBrokerIdChange,
  putKvConfig,
  queryDataVersion,
  type RemotingCommand,
  type RequestInput,
  registerBroker,
  registerBrokerBody,
  requestCommand,
  topicConfigSerializeWrapper,
  topicList,
  topicRouteData,
  unregisterBroker,
  updateNamesrvConfig,
} from '@rocketmq-ts/protocol'
import { RpcClient, RpcServer } from '@rocketmq-ts/remoting'
import { type Clock, deferred, nodeNetwork, realDisk, seededRandom, systemClock } from '@rocketmq-ts/runtime'
import { TemporaryDirectory } from './files.ts'

const network = nodeNetwork
const base = { network, disk: realDisk, clock: systemClock, host: '127.0.0.1', port: 0 }

type Header = RequestInput<typeof registerBroker>
const header: Header = {
  brokerName: 'broker-a',
  brokerAddr: '127.0.0.1:20921',
  clusterName: 'DefaultCluster',
  haServerAddr: '127.0.0.1:20922',
  brokerId: 0,
  enableActingMaster: false,
}
const noVersion = { stateVersion: 0, timestamp: 0, counter: 0 }
const dataVersion = { stateVersion: 0, timestamp: 1_700_000_000_000, counter: 3 }
const queues = { readQueueNums: 2, writeQueueNums: 2 }
const registration = {
  topicConfigSerializeWrapper: {
    dataVersion,
    topicConfigTable: new Map(['RecTopic', 'Other'].map(name => [name, topicConfig(name, queues)])),
    topicQueueMappingInfoMap: new Map(),
    topicQueueMappingDetailMap: new Map(),
    mappingDataVersion: noVersion,
  },
  filterServerList: [],
}
const plainBody = registerBrokerBody.encode(registration)

/** Whether an error is the name server's answer of code 1 with this remark. */
function refusal(remark: string) {
  return (error: { code: string; details: Record<string, unknown> }) =>
    error.code === 'RESPONSE_ERROR' && error.details.responseCode === 1 && error.details.remark === remark
}

/** A name server and a client of it, for the time of a test. */
class Setup implements AsyncDisposable {
  readonly namesrv: Namesrv
  readonly rpc = new RpcClient({ network, clock: systemClock })
  private readonly others: RpcClient[] = []

  constructor(namesrv: Namesrv) {
    this.namesrv = namesrv
  }

  static async start(options: Parameters<typeof startNamesrv>[0]['options'] = {}, more: object = {}): Promise<Setup> {
    return new Setup(await startNamesrv({ ...base, options, ...more }))
  }

  /** Another client, with a connection of its own. */
  client(): RpcClient {
    const client = new RpcClient({ network, clock: systemClock })
    this.others.push(client)
    return client
  }

  register(given: Partial<Header> = {}, body: Buffer | undefined = plainBody, rpc = this.rpc) {
    return rpc.call(registerBroker, this.namesrv.address, { ...header, ...given }, { body })
  }

  /** Code and body of the route answer. */
  async route(topic: string, ext: Record<string, string> = {}, version = 479): Promise<RemotingCommand> {
    const request = requestCommand(getRouteinfoByTopic.code, { topic, ...ext }, undefined, { version })
    return this.rpc.invoke(this.namesrv.address, request)
  }

  /** Resolves when the name server has forgotten the last broker: departures are worked off after a turn. */
  async untilEmpty(): Promise<void> {
    while (this.namesrv.brokerCount > 0) await new Promise(resolve => setImmediate(resolve))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.rpc, ...this.others].map(client => client.close()))
    await this.namesrv.close()
  }
}

interface Recorded {
  name: string
  sender: string
  hex: string
  responseHex: string
}

describe('conversations recorded with Java', () => {
  const path = new URL('../test/golden/recorded-namesrv.json', import.meta.url)
  const calls = (JSON.parse(readFileSync(path, 'utf8')) as { vectors: Recorded[] }).vectors
  const decode = (hex: string) => {
    const frame = Buffer.from(hex, 'hex')
    return decodeFrame(frame, 4, frame.length)
  }
  /** Those that Java answered while a broker was registered; the others were made on an empty name server. */
  const withBroker = (call: Recorded) =>
    /get_routeinfo_by_topic_success|cluster_info_success$|topic_list_from_nameserver/.test(call.name)
  let empty: Setup
  let filled: Setup

  before(async () => {
    empty = await Setup.start()
    filled = await Setup.start()
    await filled.register()
  })
  after(async () => {
    await empty[Symbol.asyncDispose]()
    await filled[Symbol.asyncDispose]()
  })

  const inOrder = calls.toSorted((a, b) => decode(a.hex).opaque - decode(b.hex).opaque)
  for (const call of inOrder) {
    test(`${call.name} is answered as Java answers it`, async () => {
      const expected = decode(call.responseHex)
      const setup = withBroker(call) ? filled : empty
      const actual = await setup.rpc.invoke(setup.namesrv.address, decode(call.hex))
      assert.equal(actual.code, expected.code)
      assert.equal(actual.remark, expected.remark)
      assert.deepEqual(actual.extFields, expected.extFields)
      assert.deepEqual([actual.language, actual.version, actual.flag], ['JAVA', 479, 1])
      if (/topic_list_from_nameserver/.test(call.name)) {
        assert.deepEqual(topicList.decode(actual.body!).topicList, ['RecTopic', 'Other'])
      } else {
        assert.equal(actual.body?.toString(), expected.body?.toString())
      }
    })
  }
})

describe('registration', () => {
  test('comes plain, compressed, bare from an old broker, and without topics', async () => {
    await using setup = await Setup.start()
    const { rpc, namesrv } = setup
    await setup.register({ bodyCrc32: bodyCrc(plainBody) })
    const compressed = encodeCompressedRegisterBrokerBody(registration, 479)
    const crc = { bodyCrc32: bodyCrc(compressed) }
    await setup.register({ brokerName: 'broker-b', brokerAddr: 'b:1', compressed: true, ...crc }, compressed)
    const { topicConfigSerializeWrapper: wrapper } = registration
    const bare = topicConfigSerializeWrapper.encode(wrapper)
    const old = encodeHeader(registerBroker.request, { ...header, brokerName: 'broker-c', brokerAddr: 'c:1' })
    await rpc.invoke(namesrv.address, requestCommand(registerBroker.code, old, bare, { version: 36 }))
    await setup.register({ brokerName: 'broker-d', brokerAddr: 'd:1' }, Buffer.alloc(0))
    const route = topicRouteData.decode((await setup.route('RecTopic')).body!)
    assert.deepEqual(
      route.brokerDatas.map(data => data.brokerName),
      ['broker-a', 'broker-b', 'broker-c'],
    )
    assert.deepEqual(new Set(route.queueDatas.map(data => data.readQueueNums)), new Set([2]))
    assert.equal(namesrv.brokerCount, 4)
  })

  test('with a wrong CRC, an unreadable body or a missing field is refused with code 1', async () => {
    await using setup = await Setup.start()
    await assert.rejects(setup.register({ bodyCrc32: 7 }), refusal('crc32 not match'))
    await assert.rejects(setup.register({}, Buffer.from('{"topicConfigSerializeWrapper":')), { code: 'RESPONSE_ERROR' })
    await assert.rejects(setup.register({ compressed: true }, plainBody), { code: 'RESPONSE_ERROR' })
    const answer = await setup.rpc.invoke(
      setup.namesrv.address,
      requestCommand(registerBroker.code, { brokerName: 'x' }),
    )
    assert.equal(answer.code, 1)
    assert.match(answer.remark!, /brokerAddr is missing/)
    assert.equal(setup.namesrv.brokerCount, 0)
  })

  test('of one topic before all of them is refused', async () => {
    await using setup = await Setup.start()
    const wrapper = registration.topicConfigSerializeWrapper
    const single = registerBrokerBody.encode({
      ...registration,
      topicConfigSerializeWrapper: { ...wrapper, topicConfigTable: new Map([['T', topicConfig('T')]]) },
    })
    await assert.rejects(setup.register({}, single), refusal('register broker failed'))
  })

  test('tells a slave its master, and every broker the order of topics', async () => {
    await using setup = await Setup.start()
    await setup.register()
    await setup.rpc.call(putKvConfig, setup.namesrv.address, {
      namespace: 'ORDER_TOPIC_CONFIG',
      key: 'T',
      value: 'broker-a:4',
    })
    const slave = await setup.register({ brokerId: 1, brokerAddr: '127.0.0.1:20931' })
    assert.deepEqual(slave.header, { haServerAddr: '127.0.0.1:20922', masterAddr: '127.0.0.1:20921' })
    assert.equal(slave.body?.toString(), '{"table":{"T":"broker-a:4"}}')
    await setup.rpc.call(
      updateNamesrvConfig,
      setup.namesrv.address,
      {},
      { body: Buffer.from('returnOrderTopicConfigToBroker=false\n') },
    )
    assert.equal((await setup.register()).body, undefined)
  })

  test('is asked for by the version of the topics', async () => {
    await using setup = await Setup.start()
    const ask = (version: object) =>
      setup.rpc.call(queryDataVersion, setup.namesrv.address, header, { body: Buffer.from(JSON.stringify(version)) })
    assert.equal((await ask(dataVersion)).header.changed, true)
    await setup.register()
    const same = await ask(dataVersion)
    assert.equal(same.header.changed, false)
    assert.equal(same.body?.toString(), '{"counter":3,"stateVersion":0,"timestamp":1700000000000}')
    assert.equal((await ask({ ...dataVersion, counter: 4 })).header.changed, true)
  })
})

describe('a route', () => {
  test('is strict JSON for clients of 4.9.4 and up or when asked, else with bare numbers as keys', async () => {
    await using setup = await Setup.start()
    await setup.register()
    const text = async (ext: Record<string, string>, version: number) =>
      (await setup.route('RecTopic', ext, version)).body!.toString()
    assert.match(await text({}, 401), /\{"0":"127/)
    assert.match(await text({}, 400), /\{0:"127/)
    assert.match(await text({ acceptStandardJsonOnly: 'true' }, 317), /\{"0":"127/)
    assert.match(await text({ __ZONE_MODE: 'true', __ZONE_NAME: 'z' }, 479), /"queueDatas":\[\]/)
  })

  test('carries the order of a topic when that is switched on, and follows changes at once', async () => {
    await using setup = await Setup.start()
    await setup.register()
    const { rpc, namesrv } = setup
    const order = async () => topicRouteData.decode((await setup.route('RecTopic')).body!).orderTopicConf
    await rpc.call(putKvConfig, namesrv.address, {
      namespace: 'ORDER_TOPIC_CONFIG',
      key: 'RecTopic',
      value: 'broker-a:2',
    })
    assert.equal(await order(), undefined)
    await rpc.call(updateNamesrvConfig, namesrv.address, {}, { body: Buffer.from('orderMessageEnable=true') })
    assert.equal(await order(), 'broker-a:2')
    await rpc.call(putKvConfig, namesrv.address, {
      namespace: 'ORDER_TOPIC_CONFIG',
      key: 'RecTopic',
      value: 'broker-a:1',
    })
    assert.equal(await order(), 'broker-a:1')
  })

  test('is refused while the name server waits for brokers', async () => {
    let shiftMs = 0
    const clock: Clock = { ...systemClock, monotonic: () => systemClock.monotonic() + shiftMs }
    await using setup = await Setup.start({ needWaitForService: true, waitSecondsForService: 30 }, { clock })
    await setup.register()
    const early = await setup.route('RecTopic')
    assert.deepEqual([early.code, early.remark], [1, 'name server not ready'])
    shiftMs = 30_000
    assert.equal((await setup.route('RecTopic')).code, 0)
  })

  test('is answered from what was encoded before until something changes', async () => {
    await using setup = await Setup.start()
    await setup.register()
    const first = (await setup.route('RecTopic')).body!.toString()
    assert.equal((await setup.route('RecTopic')).body!.toString(), first)
    await setup.register({ brokerId: 1, brokerAddr: '127.0.0.1:20931' })
    assert.match((await setup.route('RecTopic')).body!.toString(), /20931/)
  })
})

describe('a broker leaves', () => {
  test('when it says so, in one batch with others, after the answer', async () => {
    await using setup = await Setup.start()
    const names = ['broker-a', 'broker-b', 'broker-c']
    await Promise.all(names.map(brokerName => setup.register({ brokerName, brokerAddr: `${brokerName}:1` })))
    const leave = (brokerName: string) =>
      setup.rpc.call(unregisterBroker, setup.namesrv.address, { ...header, brokerName, brokerAddr: `${brokerName}:1` })
    await Promise.all(names.map(leave))
    await setup.untilEmpty()
    assert.equal((await setup.route('RecTopic')).code, 17)
  })

  test('when its connection is lost, with all that registered over it, but not those that came back', async () => {
    await using setup = await Setup.start()
    const brokers = setup.client()
    await setup.register({}, plainBody, brokers)
    await setup.register({ brokerName: 'broker-b', brokerAddr: 'b:1' }, plainBody, brokers)
    await setup.register({ brokerName: 'broker-c', brokerAddr: 'c:1' }, plainBody, brokers)
    await setup.register({ brokerName: 'broker-c', brokerAddr: 'c:1' })
    await brokers.close()
    while (setup.namesrv.brokerCount > 1) await new Promise(resolve => setImmediate(resolve))
    const info = clusterInfo.decode((await setup.rpc.call(getBrokerClusterInfo, setup.namesrv.address, {})).body!)
    assert.deepEqual([...info.brokerAddrTable.keys()], ['broker-c'])
  })

  test('when it has been silent for longer than it may', async () => {
    let shiftMs = 0
    const clock: Clock = { ...systemClock, monotonic: () => systemClock.monotonic() + shiftMs }
    await using setup = await Setup.start({ scanNotActiveBrokerIntervalMs: 1 }, { clock })
    const silent = setup.client()
    await setup.register({ heartbeatTimeoutMillis: 10_000 }, plainBody, silent)
    const connection = silent.connectionTo(setup.namesrv.address)!
    shiftMs = 9_000
    await setup.rpc.call(brokerHeartbeat, setup.namesrv.address, header)
    shiftMs = 18_000
    await setup.rpc.call(getAllTopicListFromNameserver, setup.namesrv.address, {})
    assert.equal(setup.namesrv.brokerCount, 1)
    shiftMs = 30_000
    await connection.closed
    await setup.untilEmpty()
    assert.equal((await setup.route('RecTopic')).code, 17)
  })
})

describe('the smallest id of a broker set', () => {
  test('is told to the other members when it changes', async () => {
    const news: unknown[] = []
    let told = deferred()
    const member = new RpcServer({ network, clock: systemClock })
    member.router.handle(notifyMinBrokerIdChange, request => {
      news.push({ ...request.header, oneway: request.command.isOneway })
      told.resolve()
      return {}
    })
    const { port } = await member.listen({ host: '127.0.0.1', port: 0 })
    const slaveAddr = `127.0.0.1:${port}`
    try {
      await using setup = await Setup.start({ notifyMinBrokerIdChanged: true })
      await setup.register({ brokerId: 1, brokerAddr: slaveAddr, enableActingMaster: true })
      await setup.register({ enableActingMaster: true })
      await told.promise
      told = deferred()
      await setup.rpc.call(unregisterBroker, setup.namesrv.address, header)
      await told.promise
      const none = { brokerName: undefined, oneway: true }
      assert.deepEqual(news, [
        {
          ...none,
          minBrokerId: 0,
          minBrokerAddr: header.brokerAddr,
          haBrokerAddr: header.haServerAddr,
          offlineBrokerAddr: undefined,
        },
        {
          ...none,
          minBrokerId: 1,
          minBrokerAddr: slaveAddr,
          haBrokerAddr: undefined,
          offlineBrokerAddr: header.brokerAddr,
        },
      ])
    } finally {
      await member.close()
    }
  })
})

describe('a name server', () => {
  test('keeps its settings and key-value configuration in files', async () => {
    using directory = new TemporaryDirectory()
    const files = { kvConfigPath: directory.at('kvConfig.json'), configPath: directory.at('namesrv.conf') }
    await using setup = await Setup.start({}, files)
    const { rpc, namesrv } = setup
    await rpc.call(putKvConfig, namesrv.address, { namespace: 'N', key: 'k', value: 'v' })
    await rpc.call(updateNamesrvConfig, namesrv.address, {}, { body: Buffer.from('enableAllTopicList=false') })
    assert.equal(directory.read('kvConfig.json'), '{"configTable":{"N":{"k":"v"}}}')
    assert.equal(directory.read('namesrv.conf'), 'enableAllTopicList=false\n')
    await assert.rejects(rpc.call(getAllTopicListFromNameserver, namesrv.address, {}), /disable/)
    const settings = (await rpc.call(getNamesrvConfig, namesrv.address, {})).body!.toString()
    assert.match(settings, new RegExp(`^listenPort=${namesrv.port}$`, 'm'))
    assert.match(settings, /^bindAddress=127\.0\.0\.1$/m)
    await assert.rejects(
      rpc.call(updateNamesrvConfig, namesrv.address, {}, { body: Buffer.from('listenPort=x') }),
      /listenPort=x/,
    )
  })

  test('does not start on a port in use or with a bad setting, and leaves nothing behind', async () => {
    await using setup = await Setup.start()
    await assert.rejects(startNamesrv({ ...base, port: setup.namesrv.port }), { code: 'ADDRESS_IN_USE' })
    await assert.rejects(startNamesrv({ ...base, options: { listenPort: -1 } }), { code: 'CONFIG_INVALID' })
  })

  test('answers whatever it is asked, however odd, and goes on', async () => {
    await using setup = await Setup.start()
    await setup.register()
    const random = seededRandom(20_261_130)
    const codes = [
      100, 101, 102, 103, 104, 105, 106, 205, 206, 216, 217, 219, 224, 304, 311, 312, 313, 318, 319, 322, 327,
    ]
    const names = ['topic', 'brokerName', 'brokerAddr', 'clusterName', 'brokerId', 'haServerAddr', 'namespace', 'key']
    const values = ['', '0', '-1', 'x', '9223372036854775807', 'broker-a', '{}', '\u0000']
    const pick = <T>(from: readonly T[]): T => from[random.int(from.length)]!
    const calls = Array.from({ length: 600 }, () => {
      const ext = Object.fromEntries(names.filter(() => random.int(4) > 0).map(name => [name, pick(values)]))
      if (random.int(2) === 0) ext.compressed = 'true'
      const size = random.int(plainBody.length)
      const body = random.int(2) === 0 ? plainBody.subarray(0, size) : Buffer.from([size, size >> 8, 0x7b, 0x22])
      return setup.rpc.invoke(setup.namesrv.address, requestCommand(pick(codes), ext, body), 20_000)
    })
    for (const answer of await Promise.all(calls)) assert.ok([0, 1, 16, 17, 22].includes(answer.code), `${answer.code}`)
    await setup.register()
    assert.equal((await setup.route('RecTopic')).code, 0)
  })

  test('sends newer clients away before it stops, when told to', async () => {
    let stop = () => {}
    const clock: Clock = {
      ...systemClock,
      setTimeout(callback, delayMs, options) {
        if (delayMs !== 30_000) return systemClock.setTimeout(callback, delayMs, options)
        stop = callback
        return { cancel() {} }
      },
    }
    await using setup = await Setup.start({ enableShutdownGracefully: true }, { clock })
    const connection = await setup.rpc.connect(setup.namesrv.address)
    const closed = setup.namesrv.close()
    const ask = (version: number) =>
      connection.call(requestCommand(getRouteinfoByTopic.code, { topic: 'T' }, undefined, { version }), 3_000)
    assert.equal((await ask(479)).code, 1500)
    assert.equal((await ask(475)).code, 17)
    stop()
    await closed
    await connection.closed
  })
})
