import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { BackedUpFile, type Disk, RocketMqError, realDisk, silentLogger } from '@rocketmq-ts/runtime'
import { KvConfig } from '../dist/kv-config.js'
import { TemporaryDirectory } from './files.ts'

function kvConfigAt(path: string, disk: Disk = realDisk): KvConfig {
  const config = new KvConfig(new BackedUpFile(disk, path), silentLogger)
  config.load()
  return config
}

test('what is put survives a restart, and the content before the last change is the backup', () => {
  using directory = new TemporaryDirectory()
  const config = kvConfigAt(directory.at('made/kvConfig.json'))
  assert.equal(config.get('N', 'k'), undefined)
  assert.equal(config.list('N'), undefined)
  config.put('ORDER_TOPIC_CONFIG', 'T', 'broker-a:4')
  config.put('N', 'k', 'v')
  assert.equal(
    directory.read('made/kvConfig.json'),
    '{"configTable":{"ORDER_TOPIC_CONFIG":{"T":"broker-a:4"},"N":{"k":"v"}}}',
  )
  assert.equal(directory.read('made/kvConfig.json.bak'), '{"configTable":{"ORDER_TOPIC_CONFIG":{"T":"broker-a:4"}}}')
  const again = kvConfigAt(directory.at('made/kvConfig.json'))
  assert.equal(again.get('ORDER_TOPIC_CONFIG', 'T'), 'broker-a:4')
  again.delete('N', 'k')
  again.delete('N', 'k')
  again.delete('unknown', 'k')
  assert.equal(again.get('N', 'k'), undefined)
  assert.deepEqual(again.list('N'), new Map())
  assert.equal(kvConfigAt(directory.at('made/kvConfig.json')).get('N', 'k'), undefined)
})

test('a half written file falls back to its backup, and two bad ones are refused', () => {
  using directory = new TemporaryDirectory()
  const path = directory.at('kvConfig.json')
  kvConfigAt(path).put('N', 'k', 'v1')
  kvConfigAt(path).put('N', 'k', 'v2')
  writeFileSync(path, '{"configTable":{"N":{"k"')
  assert.equal(kvConfigAt(path).get('N', 'k'), 'v1')
  writeFileSync(`${path}.bak`, 'x')
  assert.throws(() => kvConfigAt(path), { code: 'CONFIG_INVALID' })
})

test('a change that cannot be written does not happen', () => {
  using directory = new TemporaryDirectory()
  let isFull = false
  const disk = new Proxy(realDisk, {
    get(target, name) {
      if (name === 'writeFile' && isFull) throw new RocketMqError('DISK_FULL', 'no room')
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  const config = kvConfigAt(directory.at('kvConfig.json'), disk)
  config.put('N', 'k', 'v')
  isFull = true
  assert.throws(() => config.put('N', 'k', 'other'), { code: 'DISK_FULL' })
  assert.throws(() => config.delete('N', 'k'), { code: 'DISK_FULL' })
  assert.equal(config.get('N', 'k'), 'v')
})

test('without a file all is kept in memory', () => {
  const config = new KvConfig(undefined, silentLogger)
  config.load()
  config.put('N', 'k', 'v')
  assert.equal(config.get('N', 'k'), 'v')
})
