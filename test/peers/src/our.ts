import { fileURLToPath } from 'node:url'
import { ManagedProcess } from './managed-process.ts'
import { freePort } from './ports.ts'

const command = fileURLToPath(new URL('../../../packages/server/dist/bin.js', import.meta.url))

export interface OurStandalone {
  readonly process: ManagedProcess
  readonly namesrv: string
  readonly broker: string
}

/** Our standalone server as a process of its own, as a user starts it. */
export async function startOurStandalone(
  dataDirectory: string,
  options: {
    namesrvPort?: number
    brokerPort?: number
    configFile?: string
    nodeArgs?: readonly string[]
    env?: NodeJS.ProcessEnv
  } = {},
): Promise<OurStandalone> {
  const namesrvPort = options.namesrvPort ?? (await freePort())
  const brokerPort = options.brokerPort ?? (await freePort())
  const process = await startOurs(
    'our standalone',
    [
      'standalone',
      '--data',
      dataDirectory,
      '--host',
      '127.0.0.1',
      '--namesrv-port',
      String(namesrvPort),
      '--broker-port',
      String(brokerPort),
      ...(options.configFile ? ['-c', options.configFile] : []),
    ],
    {
      ready: /ready/,
      ...(options.nodeArgs ? { nodeArgs: options.nodeArgs } : {}),
      ...(options.env ? { env: options.env } : {}),
    },
  )
  return { process, namesrv: `127.0.0.1:${namesrvPort}`, broker: `127.0.0.1:${brokerPort}` }
}

/** Our command line with any arguments. */
export function startOurs(
  name: string,
  args: readonly string[],
  options: { ready?: RegExp; env?: NodeJS.ProcessEnv; nodeArgs?: readonly string[] } = {},
): Promise<ManagedProcess> {
  return ManagedProcess.start({
    name,
    command: globalThis.process.execPath,
    args: [...(options.nodeArgs ?? []), command, ...args],
    ...(options.env ? { env: options.env } : {}),
    ...(options.ready ? { ready: options.ready } : {}),
  })
}
