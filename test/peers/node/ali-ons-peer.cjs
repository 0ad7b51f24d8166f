'use strict'
// The other Node client as a program: `node ali-ons-peer.cjs produce|consume|produce-load|consume-load key=value ...`;
// prints one line per event. Its words are the same as those of the Java and Go peers.
const { Producer, Consumer, Message } = require('ali-ons')

const options = {
  topic: 'T',
  group: 'ons-group',
  prefix: 'ons',
  count: '10',
  tags: '*',
  warm: '0',
  size: '128',
  inFlight: '256',
}
for (const argument of process.argv.slice(3)) {
  const at = argument.indexOf('=')
  options[argument.slice(0, at)] = argument.slice(at + 1)
}
const logger = { debug() {}, info() {}, warn() {}, error() {} }
const httpclient = { request: async () => ({ status: 500, data: Buffer.alloc(0) }) }
const common = { nameSrv: options.namesrv, httpclient, logger, accessKeyId: 'a', accessKeySecret: 'b' }
const say = line => process.stdout.write(`${line}\n`)
const cpuSeconds = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

async function produce() {
  const producer = new Producer({ ...common, producerGroup: options.group })
  producer.on('error', error => say(`error ${error.message}`))
  await producer.ready()
  for (let i = 0; i < Number(options.count); i++) {
    const message = new Message(options.topic, 'a', `${options.prefix}-${i}`)
    message.keys = [`k-${options.prefix}-${i}`]
    const result = await producer.send(message)
    say(`sent ${result.sendStatus} ${result.msgId} ${result.messageQueue.queueId} ${result.queueOffset}`)
  }
  say('done')
  await producer.close()
}

async function produceLoad() {
  const producer = new Producer({ ...common, producerGroup: options.group })
  producer.on('error', error => say(`error ${error.message}`))
  await producer.ready()
  const body = Buffer.alloc(Number(options.size), 'x')
  let failed = 0
  for (const [round, count] of [Number(options.warm), Number(options.count)].entries()) {
    const cpu = cpuSeconds()
    const started = performance.now()
    let left = count
    const worker = async () => {
      while (left-- > 0) await producer.send(new Message(options.topic, 'a', body)).catch(() => failed++)
    }
    await Promise.all(Array.from({ length: Number(options.inFlight) }, worker))
    const seconds = (performance.now() - started) / 1000
    if (round === 1)
      say(`result ${JSON.stringify({ messages: count, seconds, cpuSeconds: cpuSeconds() - cpu, failed })}`)
  }
  await producer.close()
}

async function consume() {
  const consumer = new Consumer({
    ...common,
    consumerGroup: options.group,
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
  })
  consumer.on('error', error => say(`error ${error.message}`))
  consumer.subscribe(options.topic, options.tags, async message => {
    say(`got ${message.body.toString()} ${message.queueId} ${message.queueOffset} ${message.reconsumeTimes}`)
  })
  await consumer.ready()
  say('started')
  process.stdin.on('data', async data => {
    if (!data.toString().includes('stop')) return
    await consumer.close()
    say('stopped')
    process.exit(0)
  })
}

async function consumeLoad() {
  const consumer = new Consumer({
    ...common,
    consumerGroup: options.group,
    consumeFromWhere: 'CONSUME_FROM_FIRST_OFFSET',
  })
  consumer.on('error', error => say(`error ${error.message}`))
  const count = Number(options.count)
  let seen = 0
  let started = 0
  let cpu = 0
  await new Promise(resolve => {
    consumer.subscribe(options.topic, '*', async () => {
      if (seen++ === 0) {
        started = performance.now()
        cpu = cpuSeconds()
      }
      if (seen === count) resolve()
    })
  })
  say(
    `result ${JSON.stringify({ messages: count, seconds: (performance.now() - started) / 1000, cpuSeconds: cpuSeconds() - cpu })}`,
  )
  process.exit(0)
}

const commands = { produce, consume, 'produce-load': produceLoad, 'consume-load': consumeLoad }
commands[process.argv[2]]().then(
  () => process.argv[2].startsWith('produce') && process.exit(0),
  error => {
    say(`error ${error.stack}`)
    process.exit(1)
  },
)
