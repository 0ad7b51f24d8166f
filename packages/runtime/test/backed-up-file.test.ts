import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { BackedUpFile, type Disk, realDisk, seededRandom } from '@rocketmq-ts/runtime'
import { PowerOff, SimDisk } from '@rocketmq-ts/testing'

function setUp(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'rocketmq-file-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const path = join(directory, 'topics.json')
  return { path, file: () => new BackedUpFile(realDisk, path), text: (name: string) => readFileSync(name, 'utf8') }
}

test('a save keeps the former content as .bak, the first one makes none', t => {
  const { path, file, text } = setUp(t)
  const topics = file()
  topics.save('"1"')
  assert.equal(existsSync(`${path}.bak`), false)
  topics.save('"2"')
  assert.equal(text(path), '"2"')
  assert.equal(text(`${path}.bak`), '"1"')
  assert.equal(file().load(JSON.parse), '2')
})

test('a missing, empty or damaged file is replaced by its backup', t => {
  const { path, file } = setUp(t)
  file().save('"1"')
  file().save('"2"')
  for (const damage of ['', '{"half', undefined]) {
    if (damage === undefined) rmSync(path)
    else writeFileSync(path, damage)
    assert.equal(file().load(JSON.parse), '1')
  }
})

test('nothing there is nothing yet; two damaged files are an error that names one', t => {
  const { path, file } = setUp(t)
  assert.equal(file().load(JSON.parse), undefined)
  writeFileSync(path, '{')
  assert.throws(() => file().load(JSON.parse), { code: 'CONFIG_INVALID' })
  writeFileSync(`${path}.bak`, '{')
  assert.throws(
    () => file().load(JSON.parse),
    (error: Error) => error.message.includes('topics.json.bak'),
  )
})

test('a damaged file never replaces the good backup', t => {
  const { path, file, text } = setUp(t)
  writeFileSync(path, '{"half')
  writeFileSync(`${path}.bak`, '"good"')
  const topics = file()
  assert.equal(topics.load(JSON.parse), 'good')
  topics.save('"new"')
  assert.equal(text(path), '"new"')
  assert.equal(text(`${path}.bak`), '"good"')
  topics.save('"newer"')
  assert.equal(text(`${path}.bak`), '"new"')
})

test('the first save makes the directory', () => {
  const made: string[] = []
  const files = new Map<string, Buffer>()
  const disk = {
    makeDirectory: (path: string) => void made.push(path),
    readFile: (path: string) => files.get(path),
    writeFile: (path: string, content: string) => void files.set(path, Buffer.from(content)),
    rename: () => {},
  } as unknown as Disk
  const file = new BackedUpFile(disk, '/a/b/kvConfig.json')
  file.save('{}')
  file.save('{"x":1}')
  assert.deepEqual(made, ['/a/b'])
})

test('a durable save leaves the old text or the new one, whenever the power fails', async () => {
  const kept = { old: 0, new: 0 }
  for (let seed = 1; seed <= 40; seed++) {
    const disk = new SimDisk({ random: seededRandom(seed), now: () => 0 })
    disk.makeDirectory('/config')
    disk.syncDirectory('/')
    const file = new BackedUpFile(disk, '/config/offsets.json')
    await file.saveDurably(JSON.stringify('old'))
    await file.saveDurably(JSON.stringify('old'))
    const last = disk.changeCount + (seed % 16)
    disk.hook = () => {
      if (disk.changeCount >= last) throw new PowerOff()
      return undefined
    }
    await new BackedUpFile(disk, file.path).saveDurably(JSON.stringify('new')).catch(() => {})
    disk.restartAfterPowerLoss()
    const text = new BackedUpFile(disk, '/config/offsets.json').load(JSON.parse) as 'old' | 'new'
    kept[text]++
  }
  assert.equal(kept.old + kept.new, 40)
  assert.ok(kept.old > 0 && kept.new > 0)
})

test('a durable save keeps the former content as .bak, too', async t => {
  const { path, file, text } = setUp(t)
  const topics = file()
  await topics.saveDurably('"1"')
  assert.equal(existsSync(`${path}.bak`), false)
  await topics.saveDurably('"2"')
  assert.deepEqual([text(path), text(`${path}.bak`)], ['"2"', '"1"'])
  assert.equal(existsSync(`${path}.tmp`), false)
})

test('a disk that fills up, or a kill, at any moment of a save leaves a whole file and a whole backup', async () => {
  for (const kind of ['full', 'kill'] as const) {
    for (const isDurable of [false, true]) {
      for (let failAt = 0; failAt < 8; failAt++) {
        const disk = new SimDisk({ random: seededRandom(failAt), now: () => 0 })
        const save = async (file: BackedUpFile, text: string) => {
          if (isDurable) await file.saveDurably(JSON.stringify(text))
          else file.save(JSON.stringify(text))
        }
        const file = new BackedUpFile(disk, '/config/topics.json')
        await save(file, 'first'.repeat(9))
        await save(file, 'second'.repeat(9))
        const from = disk.changeCount
        disk.hook = operation => {
          if (disk.changeCount < from + failAt) return undefined
          if (kind === 'kill') throw new PowerOff()
          return operation === 'write' || operation === 'create' ? 'ENOSPC' : undefined
        }
        // A full disk is tried more than once: what a failed save left behind must not be saved as the backup.
        for (const attempt of ['third', 'fourth']) await save(file, attempt.repeat(9)).catch(() => {})
        disk.restart()
        const found = new BackedUpFile(disk, '/config/topics.json').load(JSON.parse) as string
        assert.match(found, /^(second|third|fourth){9}$/)
        const backup = JSON.parse(disk.readFile('/config/topics.json.bak')!.toString()) as string
        assert.match(backup, /^(first|second|third){9}$/)
        assert.ok(disk.readFile('/config/topics.json')!.length > 0)
      }
    }
  }
})
