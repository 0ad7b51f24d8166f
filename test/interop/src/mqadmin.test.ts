import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  ask,
  javaMqadmin,
  type ManagedProcess,
  startJava,
  startJavaBroker,
  startJavaNamesrv,
  startOurStandalone,
  temporaryDirectory,
} from '../../peers/dist/index.js'
import { collect, eventually, skipWithoutJava } from './setup.ts'

/** One cluster that Java's mqadmin looks at, with the same history on both sides. */
interface Cluster {
  readonly namesrv: string
  readonly broker: string
  readonly home: string
  /** Offset ids and unique keys of the five messages of `TopicAdmin`, in the order of sending. */
  readonly sent: { offsetId: string; uniqueKey: string }[]
  readonly consumer: ManagedProcess
  stop(): Promise<void>
}

/** Sends the history and leaves one consumer online. */
async function prepare(
  name: string,
  namesrv: string,
  broker: string,
  home: string,
  stop: () => Promise<void>,
): Promise<Cluster> {
  const producer = await startJava(
    'java producer',
    'JavaPeer',
    ['produce', `namesrv=${namesrv}`, 'topic=TopicAdmin', 'count=5', 'prefix=adm', 'tags=TagA,TagB', 'spread=true'],
    { home, ready: /done/ },
  )
  assert.equal(await producer.exited, 0, `${name}: ${producer.text}`)
  const sent = [...producer.text.matchAll(/sent SEND_OK (\S+) (\S+) /g)].map(match => ({
    uniqueKey: match[1] as string,
    offsetId: match[2] as string,
  }))
  const consumer = await startJava(
    'java consumer',
    'JavaPeer',
    ['consume', `namesrv=${namesrv}`, 'topic=TopicAdmin', 'group=group_admin', 'tags=TagA || TagB'],
    { home, ready: /started/ },
  )
  await collect(consumer, /got (adm-\d+) /, 5)
  // Java lists a group once its offsets are stored, which its consumers do every five seconds.
  await eventually(`${name}: offsets of all queues are stored`, async () => {
    for (const queueId of ['0', '1', '2', '3']) {
      const fields = { consumerGroup: 'group_admin', topic: 'TopicAdmin', queueId, setZeroIfNotFound: 'false' }
      if ((await ask(broker, 14, fields)).code !== 0) return false
    }
    return true
  })
  return {
    namesrv,
    broker,
    home,
    sent,
    consumer,
    async stop() {
      consumer.write('stop')
      await consumer.exited
      await stop()
    },
  }
}

let clusters: { java: Cluster; ours: Cluster }
const homes: ReturnType<typeof temporaryDirectory>[] = []

async function startJavaCluster(): Promise<Cluster> {
  const home = temporaryDirectory('interop-java')
  homes.push(home)
  const namesrv = await startJavaNamesrv(home.path)
  const broker = await startJavaBroker(home.path, namesrv.address, `${home.path}/store`)
  return prepare('java', namesrv.address, broker.address, home.path, async () => {
    await broker.process.stop()
    await namesrv.process.stop()
  })
}

async function startOurCluster(): Promise<Cluster> {
  const home = temporaryDirectory('interop-ours')
  homes.push(home)
  const { writeFileSync } = await import('node:fs')
  const configFile = `${home.path}/broker.conf`
  writeFileSync(
    configFile,
    `brokerName=broker-a\nbrokerClusterName=DefaultCluster\nstorePathCommitLog=${home.path}/store/commitlog\n`,
  )
  const ours = await startOurStandalone(`${home.path}/store`, {
    configFile,
    env: { ...process.env, ROCKETMQ_HOME: home.path },
  })
  return prepare('ours', ours.namesrv, ours.broker, home.path, async () => {
    assert.equal(await ours.process.stop(), 0)
  })
}

before(async () => {
  if (skipWithoutJava) return
  const [java, ours] = await Promise.all([startJavaCluster(), startOurCluster()])
  clusters = { java, ours }
})

after(async () => {
  if (skipWithoutJava) return
  await Promise.all([clusters?.java.stop(), clusters?.ours.stop()])
  for (const home of homes) home.dispose()
})

/** What differs between any two runs, also of one broker: addresses, ids, times, rates, disk use. */
function normalise(output: string, cluster: Cluster): string {
  let text = output
  for (const [index, { offsetId, uniqueKey }] of cluster.sent.entries()) {
    text = text.replaceAll(offsetId, `<offset id ${index}>`).replaceAll(uniqueKey, `<unique key ${index}>`)
  }
  return text
    .replaceAll(cluster.broker, '<broker>')
    .replaceAll(cluster.namesrv, '<namesrv>')
    .replaceAll(cluster.home, '<home>')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(,\d{3})?/g, '<time>')
    .replace(/\b1[78]\d{11}\b/g, '<ms>')
    .replace(/(\d+\.\d+|\[[0-9a-f:%]+\])[^ ]*@\d+#\d+/g, '<client id>')
    .replace(/[0-9a-f:.%]+@\d+#\d+/g, '<client id>')
    .replace(/127\.0\.0\.1:\d+/g, '<address>')
    .replace(/\b[0-9A-F]{32}([0-9A-F]{24})?\b/g, '<id>')
    .replace(/storeSize=\d+|commitLogOffset=\d+|CommitLog Offset: +\d+/g, '<position>')
    .replace(/\d+\.\d+(E-?\d+)?/g, '<number>')
    .replace(/ \d+-\d+\(<number>w/g, ' <timer>(<number>w')
    .replace(/[ \t]+/g, ' ')
}

/**
 * A defect of Java 5.3.3 that ours hasn't: it lists a topic as a consumer group of itself, and mqadmin then asks for that
 * group's retry topic.
 */
function withoutPhantomGroup(text: string): string {
  return text
    .replace(/MessageTrack \[consumerGroup=TopicAdmin,[\s\S]*?\.java:\d+\)\]\n?/g, '')
    .replace(/^DefaultCluster TopicAdmin TopicAdmin ?\n/gm, '')
}

/** Properties, attributes and topics come in hash order; sorted inside their braces. */
function sortBraces(text: string): string {
  return text.replace(/\{([^{}]*)\}/g, (_all, inner: string) => `{${inner.split(', ').sort().join(', ')}}`)
}

async function run(cluster: Cluster, args: readonly string[]): Promise<string> {
  const filled = args.map(argument =>
    argument
      .replace('<broker>', cluster.broker)
      .replace('<offset id>', cluster.sent[0]?.offsetId ?? '')
      .replace('<unique key>', cluster.sent[0]?.uniqueKey ?? ''),
  )
  const { exitCode, output } = await javaMqadmin(cluster.home, [...filled, '-n', cluster.namesrv])
  return `${withoutPhantomGroup(sortBraces(normalise(output, cluster)))}\n[exit ${exitCode}]`.replace(
    /\n+\[exit/,
    '\n[exit',
  )
}

interface Case {
  readonly name: string
  readonly args: readonly string[]
  /** The order of lines is that of a hash map. */
  readonly unordered?: boolean
}

const cases: readonly Case[] = [
  { name: 'clusterList', args: ['clusterList'] },
  { name: 'topicList', args: ['topicList'], unordered: true },
  { name: 'topicList -c', args: ['topicList', '-c'], unordered: true },
  { name: 'topicStatus', args: ['topicStatus', '-t', 'TopicAdmin'] },
  { name: 'topicRoute', args: ['topicRoute', '-t', 'TopicAdmin'] },
  { name: 'topicRoute of an unknown topic', args: ['topicRoute', '-t', 'Nowhere'] },
  { name: 'queryMsgById', args: ['queryMsgById', '-t', 'TopicAdmin', '-i', '<offset id>'] },
  { name: 'queryMsgByKey', args: ['queryMsgByKey', '-t', 'TopicAdmin', '-k', 'k-adm-1'] },
  { name: 'queryMsgByUniqueKey', args: ['queryMsgByUniqueKey', '-t', 'TopicAdmin', '-i', '<unique key>'] },
  { name: 'consumerProgress', args: ['consumerProgress'], unordered: true },
  { name: 'consumerProgress -g', args: ['consumerProgress', '-g', 'group_admin'] },
  { name: 'consumerConnection', args: ['consumerConnection', '-g', 'group_admin'] },
  { name: 'consumerConnection of an offline group', args: ['consumerConnection', '-g', 'nobody'] },
  { name: 'producerConnection of an offline group', args: ['producerConnection', '-g', 'nobody', '-t', 'TopicAdmin'] },
  { name: 'updateTopic', args: ['updateTopic', '-c', 'DefaultCluster', '-t', 'TopicNew', '-r', '4', '-w', '4'] },
  {
    name: 'updateTopic with a bad attribute',
    args: ['updateTopic', '-b', '<broker>', '-t', 'TopicBad', '-a', '+nonsense=1'],
  },
  { name: 'updateSubGroup', args: ['updateSubGroup', '-c', 'DefaultCluster', '-g', 'group_new', '-r', '5'] },
  { name: 'updateBrokerConfig', args: ['updateBrokerConfig', '-b', '<broker>', '-k', 'brokerPermission', '-v', '6'] },
  {
    name: 'updateBrokerConfig of a black-listed key',
    args: ['updateBrokerConfig', '-b', '<broker>', '-k', 'storePathRootDir', '-v', '/x'],
  },
  {
    name: 'sendMessage',
    args: ['sendMessage', '-t', 'TopicNew', '-p', 'hello', '-k', 'k1', '-c', 'TagA', '-b', 'broker-a', '-i', '0'],
  },
  {
    name: 'consumeMessage',
    args: ['consumeMessage', '-t', 'TopicNew', '-b', 'broker-a', '-i', '0', '-o', '0', '-c', '1'],
  },
  { name: 'printMsg', args: ['printMsg', '-t', 'TopicNew'] },
  { name: 'deleteTopic', args: ['deleteTopic', '-c', 'DefaultCluster', '-t', 'TopicNew'] },
]

for (const { name, args, unordered } of cases) {
  test(`mqadmin ${name} prints the same against our broker as against Java's`, { skip: skipWithoutJava }, async () => {
    const [java, ours] = [await run(clusters.java, args), await run(clusters.ours, args)]
    const shape = (text: string) => (unordered ? text.split('\n').sort().join('\n') : text)
    assert.equal(shape(ours), shape(java))
  })
}

/** Lines of `key : value` or `key = value`: the keys, and the values that are settings rather than measurements. */
function keysOf(text: string): string[] {
  return [...text.matchAll(/^([\w/.~<>-]+) *[:=]/gm)]
    .map(match => (match[1] ?? '').replace(/_[</].*$/, '_<path>'))
    .sort()
}

test('mqadmin brokerStatus lists the same facts', { skip: skipWithoutJava }, async () => {
  const [java, ours] = [
    await run(clusters.java, ['brokerStatus', '-b', '<broker>']),
    await run(clusters.ours, ['brokerStatus', '-b', '<broker>']),
  ]
  assert.deepEqual(keysOf(ours), keysOf(java))
})

/** Settings that Java's broker hasn't; docs/compatibility.md says why. */
const ownKeys = new Set(['diskSpaceAmpleBytes'])

test('mqadmin getBrokerConfig lists the same keys, and our own', { skip: skipWithoutJava }, async () => {
  const [java, ours] = [
    await run(clusters.java, ['getBrokerConfig', '-b', '<broker>']),
    await run(clusters.ours, ['getBrokerConfig', '-b', '<broker>']),
  ]
  assert.deepEqual(
    keysOf(ours).filter(key => !ownKeys.has(key)),
    keysOf(java),
  )
  for (const key of ownKeys) assert.ok(keysOf(ours).includes(key), key)
})
