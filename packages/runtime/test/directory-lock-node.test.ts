import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { realDisk as disk } from '@rocketmq-ts/runtime'

const root = mkdtempSync(join(tmpdir(), 'lock-'))
after(() => rmSync(root, { recursive: true, force: true }))

let count = 0
function freshLock(): string {
  const directory = join(root, `d${count++}`)
  disk.makeDirectory(directory)
  return join(directory, 'lock')
}

const isLinux = process.platform === 'linux'
const hasPython = isLinux && spawnSync('python3', ['-c', 'import fcntl']).status === 0
const runtimePath = import.meta.resolve('@rocketmq-ts/runtime')

/** A process of its own that holds `path` in the way that `program` says; resolves when it does. */
async function holder(command: string, args: string[], path: string): Promise<ChildProcess> {
  const child = spawn(command, [...args, path], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [line] = (await once(child.stdout!, 'data')) as [Buffer]
  assert.equal(line.toString().trim(), 'locked')
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

const ours = `import { realDisk } from ${JSON.stringify(runtimePath)}
realDisk.lock(process.argv[1]); console.log('locked'); process.stdin.resume()`

/** What a Java broker does: a record lock of the process on byte 0. */
const asJava = `import fcntl,sys
f=open(sys.argv[1],'a+')
fcntl.lockf(f,fcntl.LOCK_EX|fcntl.LOCK_NB,1,0)
print('locked',flush=True)
sys.stdin.read()`

const tryAsJava = `import fcntl,sys
f=open(sys.argv[1],'a+')
try: fcntl.lockf(f,fcntl.LOCK_EX|fcntl.LOCK_NB,1,0)
except OSError: sys.exit(7)`

describe('the lock of a store directory', () => {
  it('is held by one owner at a time, also within a process, and holds the text that Java writes', () => {
    const path = freshLock()
    const lock = disk.lock(path)
    assert.equal(readFileSync(path, 'latin1'), 'lock')
    if (isLinux) assert.throws(() => disk.lock(path), { code: 'STORE_LOCKED' })
    lock.release()
    lock.release()
    disk.lock(path).release()
  })

  it('names the process that has written its id beside it', { skip: !isLinux }, () => {
    const path = freshLock()
    const lock = disk.lock(path)
    writeFileSync(join(path, '../abort'), '4711')
    assert.throws(() => disk.lock(path), { code: 'STORE_LOCKED', message: /in use by process 4711/ })
    lock.release()
  })

  it('is honoured between processes, and gone with a killed one', { skip: !isLinux }, async () => {
    const path = freshLock()
    const child = await holder(process.execPath, ['--input-type=module', '-e', ours], path)
    assert.throws(() => disk.lock(path), { code: 'STORE_LOCKED' })
    await kill(child)
    disk.lock(path).release()
  })

  it("honours Java's, naming its process", { skip: !hasPython }, async () => {
    const path = freshLock()
    const child = await holder('python3', ['-c', asJava], path)
    assert.throws(() => disk.lock(path), { code: 'STORE_LOCKED', message: new RegExp(`process ${child.pid}`) })
    await kill(child)
    disk.lock(path).release()
  })

  it('keeps Java out', { skip: !hasPython }, () => {
    const path = freshLock()
    const lock = disk.lock(path)
    assert.equal(spawnSync('python3', ['-c', tryAsJava, path]).status, 7)
    lock.release()
    assert.equal(spawnSync('python3', ['-c', tryAsJava, path]).status, 0)
  })

  it('keeps our own processes out where no helper can set it', { skip: !isLinux }, async () => {
    const path = freshLock()
    const program = `process.env.PATH = '/nowhere'
${ours}`
    const child = await holder(process.execPath, ['--input-type=module', '-e', program], path)
    const second = spawnSync(process.execPath, ['--input-type=module', '-e', program, path], { input: '' })
    assert.match(second.stderr.toString(), /STORE_LOCKED/)
    await kill(child)
    const third = spawnSync(process.execPath, ['--input-type=module', '-e', program, path], { input: '' })
    assert.match(third.stdout.toString(), /locked/)
  })

  it('fails with the file named when the directory is missing', () => {
    assert.throws(() => disk.lock(join(root, 'absent/lock')), { code: 'DISK_FAILED', message: /absent\/lock/ })
  })
})
