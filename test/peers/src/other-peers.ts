import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ManagedProcess } from './managed-process.ts'

const goDirectory = fileURLToPath(new URL('../go', import.meta.url))
const nodeDirectory = fileURLToPath(new URL('../node', import.meta.url))

function run(command: string, args: string[], cwd: string): void {
  const result = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (result.status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${result.stdout}\n${result.stderr}`)
}

/** Why the Go client can't run here; undefined when it can. */
export function goMissing(): string | undefined {
  return spawnSync('go', ['version'], { stdio: 'ignore' }).status === 0 ? undefined : 'no go on the PATH'
}

/** The official Go client; `args` as in `go/main.go`. Built on first use. */
export function startGoPeer(args: readonly string[], ready?: RegExp): Promise<ManagedProcess> {
  const target = join(goDirectory, 'target')
  const binary = join(target, 'peer')
  const source = join(goDirectory, 'main.go')
  if (!existsSync(binary) || statSync(binary).mtimeMs < statSync(source).mtimeMs) {
    mkdirSync(target, { recursive: true })
    run('go', ['build', '-o', binary, '.'], goDirectory)
  }
  return ManagedProcess.start({ name: 'go peer', command: binary, args, ...(ready ? { ready } : {}) })
}

/** The ali-ons client; `args` as in `node/ali-ons-peer.cjs`. Installed on first use. */
export function startAliOnsPeer(args: readonly string[], ready?: RegExp): Promise<ManagedProcess> {
  if (!existsSync(join(nodeDirectory, 'node_modules', 'ali-ons'))) run('npm', ['ci', '--ignore-scripts'], nodeDirectory)
  return ManagedProcess.start({
    name: 'ali-ons peer',
    command: process.execPath,
    args: [join(nodeDirectory, 'ali-ons-peer.cjs'), ...args],
    ...(ready ? { ready } : {}),
  })
}
