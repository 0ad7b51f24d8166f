import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { namesrvConfOf, namesrvOptions, namesrvOptionTable } from '@rocketmq-ts/namesrv'
import { parseConfigText } from '@rocketmq-ts/protocol'
import { BackedUpFile, realDisk, silentLogger } from '@rocketmq-ts/runtime'
import { NamesrvConfiguration } from '../dist/configuration.js'
import { TemporaryDirectory } from './files.ts'

/** `key = value` lines of `mqadmin getNamesrvConfig` against Java, with its default settings. */
function javaSettings(): Map<string, string> {
  const text = readFileSync(new URL('../test/golden/getNamesrvConfig.txt', import.meta.url), 'utf8')
  return new Map([...text.matchAll(/^(\w+) += {2}(.*)$/gm)].map(([, key, value]) => [key!, value!]))
}

describe('settings', () => {
  test("are Java's, with Java's defaults", () => {
    const java = javaSettings()
    const ours = parseConfigText(new NamesrvConfiguration({ options: namesrvOptions(), logger: silentLogger }).text())
    assert.deepEqual([...ours.keys()].sort(), [...java.keys()].sort())
    const local = new Set(['rocketmqHome', 'kvConfigPath', 'configStorePath', 'bindAddress'])
    for (const [key, value] of java) if (!local.has(key)) assert.equal(ours.get(key), value, key)
  })

  test('given by a program are checked by name, type and range', () => {
    assert.equal(namesrvOptions({ orderMessageEnable: true }).orderMessageEnable, true)
    assert.equal(namesrvOptions().orderMessageEnable, false)
    assert.throws(() => namesrvOptions({ noSuchSetting: 1 } as never), {
      code: 'CONFIG_INVALID',
      message: /noSuchSetting/,
    })
    assert.throws(() => namesrvOptions({ listenPort: 65_536 }), /listenPort=65536 is not an integer from 0 to 65535/)
    assert.throws(() => namesrvOptions({ clusterTest: 'true' } as never), { code: 'CONFIG_INVALID' })
    assert.throws(() => namesrvOptions({ productEnvName: 1 } as never), { code: 'CONFIG_INVALID' })
  })

  test('in a file are read by key, and unknown keys are reported', () => {
    const entries = parseConfigText('listenPort = 1234\nclusterTest=TRUE\nnoSuchKey=x\nproductEnvName=a b')
    assert.deepEqual(namesrvConfOf(entries), {
      options: { listenPort: 1234, clusterTest: true, productEnvName: 'a b' },
      unknownKeys: ['noSuchKey'],
    })
    assert.throws(() => namesrvConfOf([['listenPort', 'x']]), { code: 'CONFIG_INVALID', message: /listenPort=x/ })
    assert.throws(() => namesrvConfOf([['clusterTest', 'yes']]), { code: 'CONFIG_INVALID' })
  })

  test('have a sentence each', () => {
    for (const { key, sentence } of Object.values(namesrvOptionTable)) assert.match(sentence, /\.$/, key)
  })
})

describe('a change at run time', () => {
  test('holds at once and edits only its own line of the file', () => {
    using directory = new TemporaryDirectory()
    const original = '# the port\nlistenPort=9876\norderMessageEnable = false\nunknown=1'
    writeFileSync(directory.at('namesrv.conf'), original)
    const options = namesrvOptions()
    const file = new BackedUpFile(realDisk, directory.at('namesrv.conf'))
    const configuration = new NamesrvConfiguration({ options, file, logger: silentLogger })
    let updates = 0
    configuration.onUpdate(() => updates++)
    configuration.update('orderMessageEnable=true\nenableTopicList=false\nnoSuchKey=1\n')
    assert.deepEqual([options.orderMessageEnable, options.enableTopicList, updates], [true, false, 1])
    const expected = '# the port\nlistenPort=9876\norderMessageEnable=true\nunknown=1\nenableTopicList=false\n'
    assert.equal(directory.read('namesrv.conf'), expected)
    assert.equal(directory.read('namesrv.conf.bak'), original)
    assert.match(configuration.text(), /^orderMessageEnable=true$/m)
  })

  test('is taken whole or not at all', () => {
    const options = namesrvOptions()
    const configuration = new NamesrvConfiguration({ options, logger: silentLogger })
    assert.throws(() => configuration.update('orderMessageEnable=true\nwaitSecondsForService=x'), {
      code: 'CONFIG_INVALID',
      message: /waitSecondsForService=x/,
    })
    assert.equal(options.orderMessageEnable, false)
    configuration.update('')
    configuration.update('noSuchKey=1')
  })

  test('is forbidden for the keys of the black list and the fixed ones', () => {
    const options = namesrvOptions({ configBlackList: 'orderMessageEnable;x' })
    const configuration = new NamesrvConfiguration({ options, logger: silentLogger })
    for (const key of [
      'orderMessageEnable',
      'x',
      'kvConfigPath',
      'configStorePath',
      'rocketmqHome',
      'configBlackList',
    ]) {
      assert.equal(configuration.isForbidden(`enableTopicList=true\n${key}=1`), true, key)
    }
    assert.equal(configuration.isForbidden('enableTopicList=true'), false)
  })
})
