import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { createProducer } from '@rocketmq-ts/client'
import { RunningProgram, temporaryDirectory } from './running-program.ts'

const freePorts = ['--namesrv-port', '0', '--broker-port', '0']
const ready = /^ready: name server (\S+), broker (\S+), data in (.+)$/m

/** Settings of a broker that takes a free port and little room. */
function smallBroker(directory: string): string {
  const address = 'listenPort=0\nbindAddress=127.0.0.1\nbrokerIP1=127.0.0.1\n'
  return `${address}storePathRootDir=${directory}/store\nmappedFileSizeCommitLog=1048576\n`
}

async function sendOne(nameServers: string): Promise<string> {
  await using producer = await createProducer({ nameServers, group: 'programs' })
  return (await producer.send({ topic: 'Programs', body: 'x' })).status
}

test('standalone says where it is, serves, stops cleanly at SIGTERM, and starts again on its directory', async t => {
  const directory = join(temporaryDirectory(t), 'data')
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const program = new RunningProgram(t, 'bin', ['standalone', '--data', directory, ...freePorts])
    const [, nameServers = '', , shownDirectory] = await program.find(ready)
    assert.equal(shownDirectory, directory)
    assert.ok(existsSync(join(directory, 'abort')))
    assert.equal(await sendOne(nameServers), 'SEND_OK')
    // A terminal that is closed sends it to programs under nohup as well.
    program.kill('SIGHUP')
    assert.equal(await sendOne(nameServers), 'SEND_OK')
    program.kill(signal)
    assert.equal(await program.exited, 0, program.errors)
    assert.equal(existsSync(join(directory, 'abort')), false)
    assert.equal(program.output.trim().split('\n').length, 1)
  }
})

test('a file where a directory of the store should be is named', async t => {
  const directory = temporaryDirectory(t)
  writeFileSync(join(directory, 'commitlog'), '')
  const program = new RunningProgram(t, 'bin', ['standalone', '--data', directory, ...freePorts])
  assert.equal(await program.exited, 1)
  assert.match(program.errors, /DISK_FAILED: list of .*commitlog failed: ENOTDIR/)
})

test('a second start on the same directory is refused with a clear message', async t => {
  const directory = temporaryDirectory(t)
  const first = new RunningProgram(t, 'bin', ['standalone', '--data', directory, ...freePorts])
  await first.find(ready)
  const second = new RunningProgram(t, 'bin', ['standalone', '--data', directory, ...freePorts])
  assert.equal(await second.exited, 1)
  assert.match(second.errors, /STORE_LOCKED/)
  assert.ok(second.errors.includes(directory), second.errors)
  assert.match(second.errors, /stop it or choose another directory/)
  assert.equal(second.output, '')
  first.kill('SIGTERM')
  assert.equal(await first.exited, 0)
})

test('a port in use is named, and nothing is left behind', async t => {
  const blocker = createServer().listen(0, '127.0.0.1')
  await new Promise<void>(resolve => blocker.once('listening', () => resolve()))
  const { port } = blocker.address() as { port: number }
  t.after(() => blocker.close())
  const args = ['standalone', '--data', temporaryDirectory(t), '--namesrv-port', String(port), '--broker-port', '0']
  const program = new RunningProgram(t, 'bin', args)
  assert.equal(await program.exited, 1)
  assert.match(program.errors, new RegExp(`ADDRESS_IN_USE.*127\\.0\\.0\\.1:${port}`))
})

test('name server and broker start apart, with the lines that scripts wait for', async t => {
  const directory = temporaryDirectory(t)
  const conf = join(directory, 'namesrv.conf')
  writeFileSync(conf, `listenPort=0\nbindAddress=127.0.0.1\nkvConfigPath=${directory}/kvConfig.json\nlistenPrt=1\n`)
  const namesrv = new RunningProgram(t, 'bin-mqnamesrv', ['-c', conf])
  const [, port] = await namesrv.find(
    /^The Name Server boot success\. serializeType=JSON, address 127\.0\.0\.1:(\d+)$/m,
  )
  assert.match(namesrv.errors, /unknown key listenPrt/)
  const nameServers = `127.0.0.1:${port}`
  const brokerConf = join(directory, 'broker.conf')
  writeFileSync(brokerConf, `brokerName=broker-x\n${smallBroker(directory)}`)
  const broker = new RunningProgram(t, 'bin-mqbroker', ['-c', brokerConf], { NAMESRV_ADDR: nameServers })
  const line = new RegExp(
    `^The broker\\[broker-x, 127\\.0\\.0\\.1:\\d+\\] boot success\\. serializeType=JSON and name server is ${nameServers}$`,
    'm',
  )
  await broker.find(line)
  assert.equal(await sendOne(nameServers), 'SEND_OK')
  broker.kill('SIGTERM')
  assert.equal(await broker.exited, 0, broker.errors)
  namesrv.kill('SIGTERM')
  assert.equal(await namesrv.exited, 0, namesrv.errors)
})

test('with TLS enforced, name server, broker and client speak nothing else', async t => {
  const directory = temporaryDirectory(t)
  const conf = join(directory, 'namesrv.conf')
  writeFileSync(conf, `listenPort=0\nbindAddress=127.0.0.1\nkvConfigPath=\ntls.server.mode=enforcing\n`)
  const namesrv = new RunningProgram(t, 'bin', ['namesrv', '-c', conf])
  const [, nameServers = ''] = await namesrv.find(/address (\S+)$/m)
  const brokerConf = join(directory, 'broker.conf')
  writeFileSync(brokerConf, smallBroker(directory))
  const javaOptions = '-Xmx1g -Dtls.server.mode=enforcing -Dtls.enable=true'
  const broker = new RunningProgram(t, 'bin', ['broker', '-c', brokerConf, '-n', nameServers], {
    JAVA_OPT: javaOptions,
  })
  await broker.find(/boot success/)
  await using secure = await createProducer({ nameServers, group: 'tls', tls: true })
  assert.equal((await secure.send({ topic: 'Secure', body: 'x' })).status, 'SEND_OK')
  await using plain = await createProducer({ nameServers, group: 'plain' })
  await assert.rejects(plain.send({ topic: 'Secure', body: 'x' }, { timeoutMs: 2_000 }))
})

test('-p prints the effective settings by their Java keys and ends', async t => {
  const conf = join(temporaryDirectory(t), 'broker.conf')
  writeFileSync(conf, '# a comment\nbrokerName = broker-p\nfileReservedTime=48\n')
  const broker = new RunningProgram(t, 'bin', ['broker', '-c', conf, '-n', '10.0.0.1:9876;10.0.0.2:9876', '-p'])
  assert.equal(await broker.exited, 0, broker.errors)
  const lines = broker.output.trim().split('\n')
  for (const line of [
    'brokerName=broker-p',
    'fileReservedTime=48',
    'namesrvAddr=10.0.0.1:9876;10.0.0.2:9876',
    'flushDiskType=ASYNC_FLUSH',
  ]) {
    assert.ok(lines.includes(line), `${line} is missing`)
  }
  const important = new RunningProgram(t, 'bin', ['broker', '-c', conf, '-m'])
  assert.equal(await important.exited, 0)
  assert.ok(important.output.includes('fileReservedTime=48'))
  assert.ok(!important.output.includes('serverSelectorThreads'))
  const namesrv = new RunningProgram(t, 'bin', ['namesrv', '-p'])
  assert.equal(await namesrv.exited, 0)
  assert.match(namesrv.output, /^listenPort=9876$/m)
  const changed = new RunningProgram(t, 'bin', ['config', '-c', conf, '--changed', '--describe'])
  assert.equal(await changed.exited, 0)
  assert.match(changed.output, /^# .*default 72\)\nfileReservedTime=48$/m)
})

test('what is asked wrongly ends with code 2, what is set wrongly with code 1 and the key', async t => {
  const directory = temporaryDirectory(t)
  const conf = join(directory, 'broker.conf')
  writeFileSync(conf, 'listenPort=many\n')
  for (const [args, code, message] of [
    [['standalone', '--dta', 'x'], 2, /--dta/],
    [['standalone', '--namesrv-port', '99999'], 1, /--namesrv-port is "99999"/],
    [['broker', '-c', conf], 1, /listenPort/],
    [['broker', '-c', join(directory, 'absent.conf')], 1, /absent\.conf doesn't exist/],
    [['broker', '-n', 'nowhere'], 1, /"nowhere" is no host:port/],
  ] as const) {
    const program = new RunningProgram(t, 'bin', args)
    assert.equal(await program.exited, code, program.errors)
    assert.match(program.errors, message)
  }
})

test('settings changed at run time are written to the file they came from', async t => {
  const directory = temporaryDirectory(t)
  const conf = join(directory, 'broker.conf')
  writeFileSync(conf, 'fileReservedTime=48\n')
  const args = ['standalone', '--data', join(directory, 'data'), '-c', conf, ...freePorts]
  const program = new RunningProgram(t, 'bin', args)
  const [, , broker = ''] = await program.find(ready)
  const { RpcClient } = await import('@rocketmq-ts/remoting')
  const { nodeNetwork, systemClock } = await import('@rocketmq-ts/runtime')
  const { requestCommand } = await import('@rocketmq-ts/protocol')
  const rpc = new RpcClient({ network: nodeNetwork, clock: systemClock })
  t.after(() => rpc.close())
  const answer = await rpc.invoke(broker, requestCommand(25, {}, Buffer.from('fileReservedTime=24\n')))
  assert.equal(answer.code, 0, answer.remark)
  assert.match(readFileSync(conf, 'utf8'), /^fileReservedTime=24$/m)
})
