import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { RocketMqError } from '@rocketmq-ts/runtime'
import {
  type BrokerOptions,
  brokerOptionTable,
  createBrokerOptions,
  optionOfKey,
  readBrokerConf,
} from '../dist/options.js'

const isInvalid = (key: string, pattern: RegExp) => (error: unknown) =>
  RocketMqError.is(error) && error.code === 'CONFIG_INVALID' && error.details.key === key && pattern.test(error.message)

/** What the Java broker of the golden file printed: key to value. */
function goldenConfig(): Map<string, string> {
  const text = readFileSync(new URL('../test/golden/getBrokerConfig.txt', import.meta.url), 'utf8')
  const entries = new Map<string, string>()
  for (const line of text.split('\n')) {
    const match = /^(\w+) += {2}(.*)$/.exec(line)
    if (match !== null) entries.set(match[1]!, match[2]!)
  }
  return entries
}

test('every key that a Java broker prints is known', () => {
  // Set by the file of that broker, and unknown to it, too.
  const notOfJava = new Set(['metricOtelCardinalityLimit'])
  const unknown = [...goldenConfig().keys()].filter(key => optionOfKey(key) === undefined && !notOfJava.has(key))
  assert.deepEqual(unknown, [])
})

test('the defaults are what a Java broker prints, but for what its file, host and processors decide', () => {
  const byItsFile = ['brokerName', 'brokerIP1', 'brokerIP2', 'bindAddress', 'namesrvAddr', 'rocketmqHome', 'listenPort']
    .concat(['storePathRootDir', 'storePathCommitLog', 'metricsPromExporterHost', 'metricsExporterType'])
    .concat(['mappedFileSizeTimerLog', 'mappedFileSizeConsumeQueue', 'mappedFileSizeCommitLog', 'fileReservedTime'])
    // 0 here, for which listenPort + 1 is shown once the port is known.
    .concat(['haListenPort'])
    .concat(['traceTopicEnable', 'enablePropertyFilter', 'bitMapLengthConsumeQueueExt'])
  const byProcessors = (key: string) => /ThreadPoolNums$|^clientCallbackExecutorThreads$/.test(key)
  const options = createBrokerOptions() as unknown as Record<string, unknown>
  const differing: string[] = []
  for (const [key, golden] of goldenConfig()) {
    const found = optionOfKey(key)
    if (found === undefined || byItsFile.includes(key) || byProcessors(key)) continue
    if (String(options[found.name]) !== golden)
      differing.push(`${key}: ${String(options[found.name])}, there ${golden}`)
  }
  assert.deepEqual(differing, [])
})

test('a Java key belongs to one option', () => {
  const keys = Object.values(brokerOptionTable).map(option => option.key)
  assert.equal(new Set(keys).size, keys.length)
})

test('every default is inside its own range', () => {
  for (const option of Object.values(brokerOptionTable)) {
    if (typeof option.defaultValue !== 'number') continue
    assert.ok(option.defaultValue >= (option.min ?? -Infinity), option.key)
    assert.ok(option.defaultValue <= (option.max ?? Infinity), option.key)
  }
})

test('an unknown name in the options of a program fails with the nearest name', () => {
  const overrides = { autoCreateTopicEnabled: false } as Partial<BrokerOptions>
  assert.throws(
    () => createBrokerOptions(overrides),
    isInvalid('autoCreateTopicEnabled', /did you mean "autoCreateTopicEnable"/),
  )
})

test('options given by a program are checked, and its object is not kept', () => {
  const overrides: Partial<BrokerOptions> = { listenPort: 70_000 }
  assert.throws(() => createBrokerOptions(overrides), isInvalid('listenPort', /0 to 65535/))
  overrides.listenPort = 1
  const options = createBrokerOptions(overrides)
  options.listenPort = 2
  assert.equal(overrides.listenPort, 1)
})

test('a configuration file gives typed values, and unknown keys with the nearest known one', () => {
  const conf = readBrokerConf(
    'brokerName = broker-x\nbrokerId=1\nautoCreateTopicEnable=FALSE \nautoCreateTopicEnabel=true\nzzz=1\n',
  )
  assert.deepEqual(conf.options, { brokerName: 'broker-x', brokerId: 1, autoCreateTopicEnable: false })
  assert.deepEqual(conf.unknownKeys, [
    { key: 'autoCreateTopicEnabel', nearest: 'autoCreateTopicEnable' },
    { key: 'zzz', nearest: undefined },
  ])
  assert.equal(conf.unknownEntries.get('zzz'), '1')
})

for (const [line, key, pattern] of [
  ['listenPort=abc', 'listenPort', /an integer/],
  ['listenPort=-1', 'listenPort', /0 to 65535/],
  ['autoCreateTopicEnable=yes', 'autoCreateTopicEnable', /true or false/],
  ['flushDiskType=SOMETIMES', 'flushDiskType', /ASYNC_FLUSH, SYNC_FLUSH/],
  ['defaultTopicQueueNums=99999999999', 'defaultTopicQueueNums', /2147483647/],
] as const) {
  test(`"${line}" in a file is an error that names the key`, () => {
    assert.throws(() => readBrokerConf(line), isInvalid(key, pattern))
  })
}

test('an exporter type may be given by its number', () => {
  assert.equal(readBrokerConf('metricsExporterType=2').options.metricsExporterType, 'PROM')
})
