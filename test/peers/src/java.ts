import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ask } from './ask.ts'
import { ManagedProcess } from './managed-process.ts'
import { freePort } from './ports.ts'
import { type Properties, propertiesText } from './properties.ts'

const javaDirectory = fileURLToPath(new URL('../java', import.meta.url))
const targetDirectory = join(javaDirectory, 'target')
const libDirectory = join(targetDirectory, 'lib')

function succeeds(command: string, args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}

/** Why the Java peers can't run here; undefined when they can. A suite that skips because of it says so loudly. */
export function javaMissing(): string | undefined {
  if (!succeeds('javac', ['-version'])) return 'no JDK (javac) on the PATH'
  if (!existsSync(libDirectory) && !succeeds('mvn', ['-version'])) return 'no Maven (mvn) on the PATH'
  return undefined
}

/**
 * Brings the jars of the Java peers through the pom (once), compiles the small programs in `java/` when they changed, and
 * returns the class path. Throws with Maven's or javac's words when that fails.
 */
export function javaClassPath(): string {
  if (!existsSync(join(libDirectory, '.complete'))) {
    const result = spawnSync('mvn', ['-q', '-B', 'dependency:copy-dependencies', `-DoutputDirectory=${libDirectory}`], {
      cwd: javaDirectory,
      encoding: 'utf8',
    })
    if (result.status !== 0) throw new Error(`mvn failed:\n${result.stdout}\n${result.stderr}`)
    writeFileSync(join(libDirectory, '.complete'), '')
  }
  const classes = join(targetDirectory, 'classes')
  const source = join(javaDirectory, 'JavaPeer.java')
  const compiled = join(classes, 'JavaPeer.class')
  if (!existsSync(compiled) || statSync(compiled).mtimeMs < statSync(source).mtimeMs) {
    mkdirSync(classes, { recursive: true })
    const result = spawnSync('javac', ['-nowarn', '-cp', `${libDirectory}/*`, '-d', classes, source], {
      encoding: 'utf8',
    })
    if (result.status !== 0) throw new Error(`javac failed:\n${result.stderr}`)
  }
  return `${join(javaDirectory, 'resources')}:${classes}:${libDirectory}/*`
}

export interface JavaOptions {
  readonly heap?: string
  readonly jvm?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

/** Starts a Java main class with its home and logs in a directory of their own. */
export function startJava(
  name: string,
  mainClass: string,
  args: readonly string[],
  options: JavaOptions & { ready?: RegExp; home: string; readyTimeoutMs?: number },
): Promise<ManagedProcess> {
  const heap = options.heap ?? '512m'
  return ManagedProcess.start({
    name,
    command: 'java',
    args: [
      `-Xms${heap}`,
      `-Xmx${heap}`,
      '-XX:+UseG1GC',
      `-Duser.home=${options.home}`,
      '-Drocketmq.client.logUseSlf4j=true',
      ...(options.jvm ?? []),
      '-cp',
      javaClassPath(),
      mainClass,
      ...args,
    ],
    env: { ...process.env, ROCKETMQ_HOME: options.home, NAMESRV_ADDR: '', ...options.env },
    ...(options.ready ? { ready: options.ready } : {}),
    ...(options.readyTimeoutMs ? { readyTimeoutMs: options.readyTimeoutMs } : {}),
  })
}

/** A directory that is removed with `dispose`; everything a Java process writes lands in such a one. */
export function temporaryDirectory(prefix: string): { path: string; dispose(): void } {
  const path = mkdtempSync(join(tmpdir(), `rocketmq-ts-${prefix}-`))
  return { path, dispose: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) }
}

export interface Started {
  readonly process: ManagedProcess
  readonly address: string
}

/** The Java name server on loopback. */
export async function startJavaNamesrv(home: string, options: JavaOptions & { port?: number } = {}): Promise<Started> {
  const port = options.port ?? (await freePort())
  const file = join(home, `namesrv-${port}.conf`)
  writeFileSync(file, `listenPort=${port}\nbindAddress=127.0.0.1\nkvConfigPath=${home}/kvConfig-${port}.json\n`)
  const process = await startJava('java namesrv', 'org.apache.rocketmq.namesrv.NamesrvStartup', ['-c', file], {
    heap: '256m',
    ...options,
    home,
    ready: /The Name Server boot success/,
  })
  return { process, address: `127.0.0.1:${port}` }
}

/** The Java broker on loopback; `config` overrides the small defaults of the suite. */
export async function startJavaBroker(
  home: string,
  namesrv: string,
  storeDirectory: string,
  options: JavaOptions & {
    port?: number
    config?: Record<string, string | number | boolean>
    readyTimeoutMs?: number
  } = {},
): Promise<Started> {
  const port = options.port ?? (await freePort())
  const config: Properties = {
    brokerClusterName: 'DefaultCluster',
    brokerName: 'broker-a',
    brokerId: 0,
    brokerIP1: '127.0.0.1',
    brokerIP2: '127.0.0.1',
    bindAddress: '127.0.0.1',
    namesrvAddr: namesrv,
    listenPort: port,
    storePathRootDir: storeDirectory,
    storePathCommitLog: join(storeDirectory, 'commitlog'),
    mappedFileSizeCommitLog: 64 * 1024 * 1024,
    maxIndexNum: 400_000,
    maxHashSlotNum: 100_000,
    // Tests must not depend on how full the machine's disk is; these are the highest values that Java accepts.
    diskMaxUsedSpaceRatio: 95,
    deleteWhen: '04',
    fileReservedTime: 876_000,
    ...options.config,
  }
  const file = join(home, `broker-${port}.conf`)
  writeFileSync(file, propertiesText(config))
  const process = await startJava('java broker', 'org.apache.rocketmq.broker.BrokerStartup', ['-c', file], {
    ...options,
    jvm: [
      '-Drocketmq.broker.diskSpaceWarningLevelRatio=0.99',
      '-Drocketmq.broker.diskSpaceCleanForciblyRatio=0.98',
      ...(options.jvm ?? []),
    ],
    home,
    ready: /The broker\[.*boot success/,
  })
  await registered(namesrv, process)
  return { process, address: `127.0.0.1:${port}` }
}

/** The broker says that it has booted before every name server knows it; on a loaded machine the first registration may be lost. */
async function registered(namesrv: string, broker: ManagedProcess): Promise<void> {
  const until = performance.now() + 60_000
  for (const address of namesrv.split(';')) {
    for (;;) {
      const answer = await ask(address, 105, { topic: 'TBW102' }).catch(() => undefined)
      if (answer?.code === 0) break
      if (performance.now() > until) throw new Error(`the Java broker is not known to ${address}:\n${broker.tail()}`)
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }
}

export interface CommandResult {
  readonly exitCode: number
  readonly output: string
}

/** Runs the Java `mqadmin` with `args`, as a user types them. Output is standard output and error together. */
export async function javaMqadmin(home: string, args: readonly string[], timeoutMs = 60_000): Promise<CommandResult> {
  const child = await startJava('mqadmin', 'org.apache.rocketmq.tools.command.MQAdminStartup', args, {
    home,
    heap: '128m',
    jvm: ['-XX:TieredStopAtLevel=1'],
  })
  const timer = setTimeout(() => child.signal('SIGKILL'), timeoutMs)
  const code = await child.exited
  clearTimeout(timer)
  return { exitCode: typeof code === 'number' ? code : -1, output: child.text }
}
