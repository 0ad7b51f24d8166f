import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

export interface StartOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  /** Resolves the start when a line of standard output or error matches; without it the start resolves at once. */
  readonly ready?: RegExp
  readonly readyTimeoutMs?: number
  /** A name for error messages. */
  readonly name: string
}

export interface CpuAndMemory {
  /** User and system time since the start, seconds. */
  readonly cpuSeconds: number
  readonly rssBytes: number
}

/** A process we started: its output, its resource use, its end. Ended by pid, never by name. */
export class ManagedProcess {
  readonly name: string
  readonly exited: Promise<number | string>
  private readonly child: ChildProcess
  private output = ''
  private readonly watchers = new Set<() => void>()

  private constructor(name: string, child: ChildProcess) {
    this.name = name
    this.child = child
    const onData = (chunk: Buffer) => {
      // Bounded: an endless talker must not fill our memory.
      this.output = (this.output + chunk.toString('utf8')).slice(-4_000_000)
      for (const watcher of [...this.watchers]) watcher()
    }
    child.stdout?.on('data', onData)
    child.stderr?.on('data', onData)
    this.exited = new Promise(resolve => {
      child.on('error', error => resolve(error.message))
      child.on('close', (code, signal) => resolve(code ?? signal ?? 'unknown'))
    })
    void this.exited.then(() => {
      for (const watcher of [...this.watchers]) watcher()
    })
  }

  static async start(options: StartOptions): Promise<ManagedProcess> {
    const child = spawn(options.command, options.args, {
      env: options.env ?? process.env,
      cwd: options.cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    child.stdin?.on('error', () => {})
    const managed = new ManagedProcess(options.name, child)
    running.add(managed)
    void managed.exited.then(() => running.delete(managed))
    if (options.ready) await managed.waitFor(options.ready, options.readyTimeoutMs ?? 60_000)
    return managed
  }

  get pid(): number {
    return this.child.pid ?? 0
  }

  get text(): string {
    return this.output
  }

  write(line: string): void {
    this.child.stdin?.write(`${line}\n`)
  }

  endInput(): void {
    this.child.stdin?.end()
  }

  /** Resolves with the first match in all output so far or to come; rejects when the process ends or time runs out. */
  waitFor(pattern: RegExp, timeoutMs = 60_000): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      let ended = false
      const settle = (action: () => void) => {
        this.watchers.delete(check)
        clearTimeout(timer)
        action()
      }
      const check = () => {
        const match = pattern.exec(this.output)
        if (match) settle(() => resolve(match))
        else if (ended) settle(() => reject(new Error(`${this.name} ended before ${pattern}:\n${this.tail()}`)))
      }
      const timer = setTimeout(
        () => settle(() => reject(new Error(`${this.name}: no ${pattern} in ${timeoutMs} ms:\n${this.tail()}`))),
        timeoutMs,
      )
      this.watchers.add(check)
      void this.exited.then(() => {
        ended = true
        check()
      })
      check()
    })
  }

  tail(): string {
    return this.output.slice(-3000)
  }

  /** From /proc; Linux only. */
  usage(): CpuAndMemory {
    const stat = readFileSync(`/proc/${this.pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8')
    return {
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100,
      rssBytes: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024,
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal)
  }

  /** Asks to stop, then insists after `graceMs`. Resolves with the exit code or the signal's name. */
  async stop(signal: NodeJS.Signals = 'SIGTERM', graceMs = 20_000): Promise<number | string> {
    this.child.kill(signal)
    const timer = setTimeout(() => this.child.kill('SIGKILL'), graceMs)
    const result = await this.exited
    clearTimeout(timer)
    return result
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop().then(() => undefined)
  }
}

const running = new Set<ManagedProcess>()
process.on('exit', () => {
  for (const managed of running) managed.signal('SIGKILL')
})
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
