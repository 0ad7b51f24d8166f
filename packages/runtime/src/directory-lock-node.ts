import { spawnSync } from 'node:child_process'
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { dirname, join } from 'node:path'
import type { DiskLock } from './disk.ts'
import { RocketMqError } from './errors.ts'

/**
 * The lock of a store directory, as the Java broker knows it: a POSIX record lock on byte 0 of the file `lock`.
 *
 * Node has no call for record locks. On Linux such a lock can belong to an *open file description*, which a child process
 * inherits: a child that lives for a few milliseconds takes the lock on our descriptor and exits, and we hold the lock until
 * we close the descriptor or die, also by SIGKILL. It excludes Java brokers and our own, in other containers too.
 *
 *   1. /proc/locks shows a holder of the file         → STORE_LOCKED, with its process id
 *   2. perl or python3 sets the lock (F_OFD_SETLK)    → held, or STORE_LOCKED
 *   3. an abstract socket named after device and inode, which the kernel removes with its process, is bound → STORE_LOCKED
 *
 * Where neither perl nor python3 is installed only the socket excludes others: our own brokers of this network namespace. A Java
 * broker that is started later isn't kept out then.
 *
 * macOS opens the file with its lock flag. Elsewhere the process id in `abort` is looked up.
 */
export function lockDirectory(path: string): DiskLock {
  if (process.platform === 'darwin') return lockByOpenFlag(path)
  if (process.platform !== 'linux') return lockByProcessId(path)
  const fd = openLockFile(path, constants.O_RDWR | constants.O_CREAT)
  try {
    const holder = holderInProcLocks(fd)
    if (holder !== undefined) throw locked(path, holder === UNNAMED ? undefined : holder)
    if (setOpenFileDescriptionLock(fd) === 'held-by-other') throw locked(path, undefined)
    const guard = bindGuardSocket(path, fd)
    writeLockText(fd)
    return releaseOnce(() => {
      guard.close()
      closeSync(fd)
    })
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

const O_EXLOCK_DARWIN = 0x20

function lockByOpenFlag(path: string): DiskLock {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | O_EXLOCK_DARWIN
  const fd = openLockFile(path, flags)
  writeLockText(fd)
  return releaseOnce(() => closeSync(fd))
}

function lockByProcessId(path: string): DiskLock {
  const fd = openLockFile(path, constants.O_RDWR | constants.O_CREAT)
  const holder = processIdInAbortFile(path)
  if (holder !== undefined && holder !== process.pid && isAlive(holder)) {
    closeSync(fd)
    throw locked(path, holder)
  }
  writeLockText(fd)
  return releaseOnce(() => closeSync(fd))
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function openLockFile(path: string, flags: number): number {
  try {
    return openSync(path, flags, 0o644)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EAGAIN' || code === 'EWOULDBLOCK') throw locked(path, undefined)
    throw new RocketMqError('DISK_FAILED', `open of ${path} failed: ${String(code)}`, {
      cause: error,
      details: { path },
    })
  }
}

function releaseOnce(release: () => void): DiskLock {
  let released = false
  return {
    release() {
      if (released) return
      released = true
      release()
    },
  }
}

function writeLockText(fd: number): void {
  ftruncateSync(fd, 4)
  writeSync(fd, 'lock', 0, 'latin1')
}

function locked(path: string, processId: number | undefined): RocketMqError {
  const holder = processId ?? processIdInAbortFile(path)
  const who = holder === undefined ? 'another broker' : `process ${holder}`
  return new RocketMqError('STORE_LOCKED', `${dirname(path)} is in use by ${who}`, {
    details: { path, processId: holder },
  })
}

/** A broker writes its process id there when it starts. Only a hint: the file outlives a killed broker. */
function processIdInAbortFile(path: string): number | undefined {
  try {
    const text = readFileSync(join(dirname(path), 'abort'), 'latin1').trim()
    return /^\d{1,10}$/.test(text) ? Number(text) : undefined
  } catch {
    return undefined
  }
}

/** The kernel names no process for a lock of an open file description. */
const UNNAMED = -1

/**
 * The process that holds a record lock on the file, {@link UNNAMED} for locks like ours, undefined when nobody holds one.
 * A line reads `1: POSIX  ADVISORY  WRITE 4711 fe:00:9977899 0 0`, with `OFDLCK` and process −1 for locks like ours.
 */
function holderInProcLocks(fd: number): number | undefined {
  let text: string
  try {
    text = readFileSync('/proc/locks', 'latin1')
  } catch {
    return undefined
  }
  const { dev, ino } = fstatSync(fd, { bigint: true })
  const major = ((dev >> 8n) & 0xfffn) | ((dev >> 32n) & ~0xfffn)
  const minor = (dev & 0xffn) | ((dev >> 12n) & ~0xffn)
  const file = `${major.toString(16).padStart(2, '0')}:${minor.toString(16).padStart(2, '0')}:${ino}`
  for (const line of text.split('\n')) {
    const [, kind, , access, processId, lockedFile, start] = line.trim().split(/\s+/)
    if (lockedFile !== file || access !== 'WRITE' || start !== '0') continue
    if (kind === 'POSIX') return Number(processId)
    if (kind === 'OFDLCK') return UNNAMED
  }
  return undefined
}

const F_OFD_SETLK = 37
const LOCK_TAKEN = 0
const LOCK_HELD_BY_OTHER = 1

/** struct flock of 64-bit Linux: [type:2][whence:2][pad:4][start:8][length:8][pid:4][pad:4]; type 1 is a write lock. */
const lockHelpers: readonly { command: string; arguments: readonly string[] }[] = [
  {
    command: 'perl',
    arguments: [
      '-e',
      `open(my $f,"+<&=",3) or exit 3; my $l=pack("s s x4 q q i x4",1,0,0,1,0);` +
        ` exit ${LOCK_TAKEN} if fcntl($f,${F_OFD_SETLK},$l); exit($!==11||$!==13?${LOCK_HELD_BY_OTHER}:2)`,
    ],
  },
  {
    command: 'python3',
    arguments: [
      '-c',
      `import fcntl,struct,sys\ntry:\n fcntl.fcntl(3,${F_OFD_SETLK},struct.pack("hhqqi4x",1,0,0,1,0))\n` +
        `except OSError as e:\n sys.exit(${LOCK_HELD_BY_OTHER} if e.errno in (11,13) else 2)\nsys.exit(${LOCK_TAKEN})`,
    ],
  },
]

function setOpenFileDescriptionLock(fd: number): 'taken' | 'held-by-other' | 'unavailable' {
  for (const helper of lockHelpers) {
    const { status } = spawnSync(helper.command, helper.arguments, {
      stdio: ['ignore', 'ignore', 'ignore', fd],
      timeout: 5_000,
    })
    if (status === LOCK_TAKEN) return 'taken'
    if (status === LOCK_HELD_BY_OTHER) return 'held-by-other'
  }
  return 'unavailable'
}

function bindGuardSocket(path: string, fd: number): Server {
  const { dev, ino } = fstatSync(fd)
  const server = createServer(socket => socket.destroy())
  // Binding happens inside listen(); a failure is reported later by this event, but `listening` tells it at once.
  server.on('error', () => {})
  server.listen({ path: `\0rocketmq-ts-store-${dev}-${ino}` })
  server.unref()
  if (!server.listening) throw locked(path, undefined)
  return server
}
