import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { buildSubscription, encodeProperties } from '@rocketmq-ts/model'
import { consumerFilterWrapper } from '@rocketmq-ts/protocol'
import { RocketMqError, realDisk, silentLogger } from '@rocketmq-ts/runtime'
import { ManualClock } from '@rocketmq-ts/testing'
import { FilterFile } from '../../dist/filter/filter-file.js'
import { FilterTable } from '../../dist/filter/filter-table.js'

const dayMs = 86_400_000

function create(clock = new ManualClock()) {
  const options = {
    maxErrorRateOfBloomFilter: 20,
    expectConsumerNumUseFilter: 32,
    filterDataCleanTimeSpanMs: dayMs,
    enableCalcFilterBitMap: true,
  }
  return { clock, options, filters: new FilterTable(clock, silentLogger, options) }
}

const sql = (topic: string, expression: string, version: number) =>
  buildSubscription(topic, expression, 'SQL92', version)

const isDead = (filters: FilterTable, topic: string, group: string) => {
  const data = filters.get(topic, group)!
  return data.deadTimeMs >= data.bornTimeMs
}

test('a selection is registered once; a higher version replaces it or refreshes it, a lower one is ignored', () => {
  const { filters, clock } = create()
  filters.register('g', [sql('T', 'a > 1', 5), buildSubscription('Tags', 'x')])
  assert.equal(filters.size, 1)
  const bornTimeMs = clock.now()
  clock.advance(1000)
  filters.register('g', [sql('T', 'a > 2', 4)])
  filters.register('g', [sql('T', 'a > 2', 5)])
  assert.equal(filters.get('T', 'g')!.expression, 'a > 1')
  filters.register('g', [sql('T', 'a > 1', 6)])
  assert.deepEqual([filters.get('T', 'g')!.clientVersion, filters.get('T', 'g')!.bornTimeMs], [6, bornTimeMs])
  filters.register('g', [sql('T', 'a > 2', 7)])
  const changed = filters.get('T', 'g')!
  assert.deepEqual([changed.expression, changed.bornTimeMs], ['a > 2', clock.now()])
})

test('an expression that can not be used is not kept, and takes the place of none', () => {
  const { filters } = create()
  filters.register('g', [sql('T', 'a > > 1', 5)])
  assert.equal(filters.size, 0)
  filters.register('g', [sql('T', 'a > 1', 6)])
  filters.register('g', [sql('T', 'a >', 7)])
  assert.equal(filters.get('T', 'g'), undefined)
  assert.equal(filters.size, 0)
})

test('selections die with their group or their topic, come to life again, and go after a day', () => {
  const { filters, clock } = create()
  filters.register('g', [sql('T', 'a > 1', 5), sql('U', 'a > 1', 5)])
  filters.register('g', [sql('T', 'a > 1', 5)])
  assert.deepEqual([isDead(filters, 'T', 'g'), isDead(filters, 'U', 'g')], [false, true])
  filters.unregister('g')
  assert.ok(isDead(filters, 'T', 'g'))
  clock.advance(dayMs - 1)
  filters.register('g', [sql('T', 'a > 1', 5)])
  assert.ok(!isDead(filters, 'T', 'g'))
  filters.clean()
  assert.equal(filters.size, 2)
  clock.advance(1)
  filters.clean()
  assert.equal(filters.get('U', 'g'), undefined)
  assert.ok(filters.get('T', 'g') !== undefined)
})

test('the bit map of a message has the bits of each group that selects it, and no others', () => {
  const { filters, options } = create()
  assert.equal(filters.bitMapOf('T', ''), undefined)
  filters.register('CG_golden', [sql('TopicGolden', 'a > 1', 1)])
  filters.register('CG_other', [sql('TopicGolden', 'a > 100', 1)])
  const bitsOf = (a: string) => filters.bitMapOf('TopicGolden', encodeProperties({ a }))!.toString('hex')
  assert.equal(bitsOf('5'), '000c000000000000000000000080')
  assert.equal(bitsOf('500'), '000c001000000000000000024080')
  assert.equal(bitsOf('many'), '0'.repeat(28))
  options.enableCalcFilterBitMap = false
  assert.equal(filters.bitMapOf('TopicGolden', ''), undefined)
})

function directoryOf(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'filters-'))
  t.after(() => rmSync(directory, { recursive: true }))
  return directory
}

test('consumerFilter.json is saved every ten seconds when something has changed, with the old one beside it', t => {
  const directory = directoryOf(t)
  const { filters, clock } = create()
  const file = new FilterFile({ filters, disk: realDisk, directory, clock, logger: silentLogger })
  file.start()
  const read = (name: string) => JSON.parse(readFileSync(join(directory, name), 'utf8'))
  filters.register('CG_golden', [sql('TopicGolden', 'a > 1', 5)])
  clock.advance(10_000)
  const entry = {
    bloomFilterData: { bitNum: 112, bitPos: [111, 10, 11] },
    bornTime: 1_700_000_000_000,
    clientVersion: 5,
    consumerGroup: 'CG_golden',
    dead: false,
    deadTime: 0,
    expression: 'a > 1',
    expressionType: 'SQL92',
    topic: 'TopicGolden',
  }
  const content = (data: object) => ({
    filterDataByTopic: { TopicGolden: { groupFilterData: { CG_golden: data }, topic: 'TopicGolden' } },
  })
  assert.deepEqual(read('consumerFilter.json'), content(entry))
  filters.unregister('CG_golden')
  file.close()
  assert.deepEqual(read('consumerFilter.json'), content({ ...entry, dead: true, deadTime: 1_700_000_010_000 }))
  assert.deepEqual(read('consumerFilter.json.bak'), content(entry))
  assert.equal(clock.pendingCount, 0)
})

test("a file of Java's broker is read, and written back letter for letter", t => {
  const text = readFileSync(new URL('../../test/golden/filter/consumerFilter.json', import.meta.url), 'utf8')
  const directory = directoryOf(t)
  writeFileSync(join(directory, 'consumerFilter.json'), text)
  const { filters, clock } = create(new ManualClock(1_796_033_200_000))
  const file = new FilterFile({ filters, disk: realDisk, directory, clock, logger: silentLogger })
  assert.equal(filters.size, 3)
  filters.isDirty = true
  file.close()
  assert.equal(readFileSync(join(directory, 'consumerFilter.json'), 'utf8'), text)
})

test("Java's content is read, and written letter for letter", () => {
  const data =
    '{"bloomFilterData":{"bitNum":216,"bitPos":[55,2,123]},"bornTime":1700000000004,"clientVersion":1700000000003,' +
    '"consumerGroup":"CG_golden","dead":true,"deadTime":1700000000009,"expression":"a > 5","expressionType":"SQL92",' +
    '"topic":"TopicGolden"}'
  const text = `{"filterDataByTopic":{"TopicGolden":{"groupFilterData":{"CG_golden":${data}},"topic":"TopicGolden"}}}`
  const { clock, options } = create()
  const filters = new FilterTable(clock, silentLogger, { ...options, expectConsumerNumUseFilter: 64 })
  filters.load(consumerFilterWrapper.parse(text))
  assert.equal(filters.get('TopicGolden', 'CG_golden')!.expression, 'a > 5')
  assert.equal(consumerFilterWrapper.stringify(filters.snapshot()), text)
})

test('what a file says is known and dead after the start, unless it is of another Bloom filter', t => {
  const directory = directoryOf(t)
  const clock = new ManualClock()
  const reopen = (change: (text: string) => string = text => text) => {
    const path = join(directory, 'consumerFilter.json')
    const { filters } = create(clock)
    filters.register('g', [sql('T', 'a > 1', 5)])
    new FilterFile({ filters, disk: realDisk, directory: directoryOf(t), clock, logger: silentLogger }).close()
    const writer = new FilterFile({ filters, disk: realDisk, directory, clock, logger: silentLogger })
    filters.isDirty = true
    writer.close()
    writeFileSync(path, change(readFileSync(path, 'utf8')))
    clock.advance(60_000)
    const { filters: loaded } = create(clock)
    new FilterFile({ filters: loaded, disk: realDisk, directory, clock, logger: silentLogger })
    rmSync(path)
    rmSync(`${path}.bak`, { force: true })
    return loaded
  }
  const loaded = reopen()
  const data = loaded.get('T', 'g')!
  assert.deepEqual([data.expression, data.clientVersion, clock.now() - data.deadTimeMs], ['a > 1', 5, 30_000])
  assert.ok(data.filter.matchesProperties(encodeProperties({ a: '2' })))
  assert.equal(reopen(text => text.replace('112', '216')).size, 0)
  assert.equal(reopen(text => text.replace('a > 1', 'a > >')).size, 0)
  assert.equal(reopen(text => text.replace('SQL92', 'OTHER')).size, 0)
  assert.throws(
    () => reopen(() => '{'),
    (error: unknown) => RocketMqError.is(error) && error.code === 'CONFIG_INVALID',
  )
})
