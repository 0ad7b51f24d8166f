import { fileURLToPath } from 'node:url'
import { ManagedProcess } from '../../test/peers/dist/index.js'

/** Our client as a program, with the words of the other peers; see client-peer.ts. */
export function startOurClient(args: readonly string[], ready?: RegExp): Promise<ManagedProcess> {
  const script = fileURLToPath(new URL('./client-peer.js', import.meta.url))
  const nodeArgs = process.env.BENCH_CLIENT_CPU_PROF
    ? ['--cpu-prof', `--cpu-prof-dir=${process.env.BENCH_CLIENT_CPU_PROF}`]
    : []
  return ManagedProcess.start({
    name: 'our client',
    command: process.execPath,
    args: [...nodeArgs, script, ...args],
    ...(ready ? { ready } : {}),
  })
}
