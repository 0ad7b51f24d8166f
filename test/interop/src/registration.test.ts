import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  freePort,
  javaMqadmin,
  startJava,
  startJavaBroker,
  startJavaNamesrv,
  startOurs,
  temporaryDirectory,
} from '../../peers/dist/index.js'
import { eventually, skipWithoutJava } from './setup.ts'

async function clusterList(home: string, namesrv: string): Promise<string> {
  return (await javaMqadmin(home, ['clusterList', '-n', namesrv])).output
}

test('a Java broker registers with our name server, and serves clients through it', {
  skip: skipWithoutJava,
}, async () => {
  const home = temporaryDirectory('registration')
  const port = await freePort()
  const config = `${home.path}/namesrv.conf`
  writeFileSync(config, `listenPort=${port}\nbindAddress=127.0.0.1\nkvConfigPath=${home.path}/kv/kvConfig.json\n`)
  const namesrv = await startOurs('our namesrv', ['namesrv', '-c', config], { ready: /boot success|ready/ })
  const address = `127.0.0.1:${port}`
  const broker = await startJavaBroker(home.path, address, `${home.path}/store`)
  assert.match(await clusterList(home.path, address), /DefaultCluster +broker-a +0 +127\.0\.0\.1/)
  const producer = await startJava(
    'java producer',
    'JavaPeer',
    ['produce', `namesrv=${address}`, 'topic=Registered', 'count=5'],
    {
      home: home.path,
    },
  )
  assert.equal(await producer.exited, 0, producer.text)
  const kv = await javaMqadmin(home.path, ['updateKvConfig', '-s', 'NS', '-k', 'key', '-v', 'value', '-n', address])
  assert.match(kv.output, /success/)
  await broker.process.stop('SIGKILL')
  await eventually(
    'the killed broker leaves the route',
    async () => !/127\.0\.0\.1/.test(await clusterList(home.path, address)),
  )
  assert.equal(await namesrv.stop(), 0)
  home.dispose()
})

test('our broker registers with two Java name servers, one of which comes late', {
  skip: skipWithoutJava,
}, async () => {
  const home = temporaryDirectory('registration')
  const latePort = await freePort()
  const early = await startJavaNamesrv(home.path)
  const config = `${home.path}/broker.conf`
  const brokerPort = await freePort()
  writeFileSync(
    config,
    `brokerName=broker-ts\nbrokerClusterName=DefaultCluster\nbrokerIP1=127.0.0.1\nbindAddress=127.0.0.1\nlistenPort=${brokerPort}\n` +
      `storePathRootDir=${home.path}/store\nregisterNameServerPeriod=10000\n`,
  )
  const broker = await startOurs(
    'our broker',
    ['broker', '-n', `${early.address};127.0.0.1:${latePort}`, '-c', config],
    {
      ready: /boot success/,
    },
  )
  await eventually('registered with the first', async () =>
    /broker-ts/.test(await clusterList(home.path, early.address)),
  )
  const late = await startJavaNamesrv(home.path, { port: latePort })
  await eventually('registered with the second', async () =>
    /broker-ts/.test(await clusterList(home.path, late.address)),
  )
  const producer = await startJava(
    'java producer',
    'JavaPeer',
    ['produce', `namesrv=${late.address}`, 'topic=Registered', 'count=5'],
    {
      home: home.path,
    },
  )
  assert.equal(await producer.exited, 0, producer.text)
  assert.equal(await broker.stop(), 0)
  await eventually(
    'a stopped broker unregisters',
    async () => !/broker-ts/.test(await clusterList(home.path, early.address)),
  )
  await early.process.stop()
  await late.process.stop()
  home.dispose()
})
