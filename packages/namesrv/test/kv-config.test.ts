import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  BackedUpFile,
  type Disk,
  RocketMqError,
  realDisk,
  silentLogger,
  systemClock,
  TurnScheduler,
} from '@rocketmq-ts/runtime'
import { KvConfig } from '../dist/kv-config.js'
import { TemporaryDirectory } from './files.ts'

function kvConfigAt(path: string, disk: Disk = realDisk): KvConfig {
  const config = new KvConfig(new BackedUpFile(disk, path), silentLogger, new TurnScheduler(systemClock))
  config.load()
  return config
}

test('what is put survives a restart, and the content before the last change is the backup', async () => {
  using directory = new TemporaryDirectory()
  const config = kvConfigAt(directory.at('made/kvConfig.json'))
  assert.equal(config.get('N', 'k'), undefined)
  assert.equal(config.list('N'), undefined)
  await config.put('ORDER_TOPIC_CONFIG', 'T', 'broker-a:4')
  await config.put('N', 'k', 'v')
  assert.equal(
    directory.read('made/kvConfig.json'),
    '{"configTable":{"ORDER_TOPIC_CONFIG":{"T":"broker-a:4"},"N":{"k":"v"}}}',
  )
  assert.equal(directory.read('made/kvConfig.json.bak'), '{"configTable":{"ORDER_TOPIC_CONFIG":{"T":"broker-a:4"}}}')
  const again = kvConfigAt(directory.at('made/kvConfig.json'))
  assert.equal(again.get('ORDER_TOPIC_CONFIG', 'T'), 'broker-a:4')
  await again.delete('N', 'k')
  await again.delete('N', 'k')
  await again.delete('unknown', 'k')
  assert.equal(again.get('N', 'k'), undefined)
  assert.deepEqual(again.list('N'), new Map())
  assert.equal(kvConfigAt(directory.at('made/kvConfig.json')).get('N', 'k'), undefined)
})

test('a half written file falls back to its backup, and two bad ones are refused', async () => {
  using directory = new TemporaryDirectory()
  const path = directory.at('kvConfig.json')
  await kvConfigAt(path).put('N', 'k', 'v1')
  await kvConfigAt(path).put('N', 'k', 'v2')
  writeFileSync(path, '{"configTable":{"N":{"k"')
  assert.equal(kvConfigAt(path).get('N', 'k'), 'v1')
  writeFileSync(`${path}.bak`, 'x')
  assert.throws(() => kvConfigAt(path), { code: 'CONFIG_INVALID' })
})

test('a change that cannot be written does not happen', async () => {
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
  await config.put('N', 'k', 'v')
  isFull = true
  await assert.rejects(config.put('N', 'k', 'other'), { code: 'DISK_FULL' })
  await assert.rejects(config.delete('N', 'k'), { code: 'DISK_FULL' })
  assert.equal(config.get('N', 'k'), 'v')
})

test('without a file all is kept in memory', async () => {
  const config = new KvConfig(undefined, silentLogger, new TurnScheduler(systemClock))
  config.load()
  await config.put('N', 'k', 'v')
  assert.equal(config.get('N', 'k'), 'v')
})

test('changes that arrive together are saved once, all before the first is acknowledged', async () => {
  using directory = new TemporaryDirectory()
  let saves = 0
  const disk = new Proxy(realDisk, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        if (name === 'rename' && String(args[1]).endsWith('.json')) saves++
        return Reflect.apply(member, target, args) as unknown
      }
    },
  })
  const config = kvConfigAt(directory.at('kvConfig.json'), disk)
  const changes = Array.from({ length: 1000 }, (_, i) => config.put('N', `k${i}`, 'v'))
  changes.push(config.delete('N', 'k7'))
  await changes[0]
  assert.equal(saves, 1)
  assert.equal(config.list('N')?.size, 999)
  await Promise.all(changes)
  assert.equal(kvConfigAt(directory.at('kvConfig.json')).list('N')?.size, 999)
})
