import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))

/** One of our programs as a process of its own. */
export class RunningProgram {
  readonly #child: ChildProcess
  #output = ''
  #errors = ''
  #waiters: (() => void)[] = []
  /** Resolves with the exit code (or the signal that ended it). */
  readonly exited: Promise<number | string | null>

  constructor(t: TestContext, program: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
    const inherited = { PATH: process.env.PATH, HOME: process.env.HOME }
    this.#child = spawn(process.execPath, [join(dist, `${program}.js`), ...args], {
      env: { ...inherited, ...environment },
    })
    this.#child.stdout?.on('data', chunk => {
      this.#output += chunk
      this.#wake()
    })
    this.#child.stderr?.on('data', chunk => {
      this.#errors += chunk
    })
    this.exited = new Promise(resolve => {
      this.#child.on('close', (code, signal) => {
        resolve(code ?? signal)
        this.#wake()
      })
    })
    started(t).push(this)
    t.after(() => this.end())
  }

  get output(): string {
    return this.#output
  }

  get errors(): string {
    return this.#errors
  }

  /** Resolves with what `pattern` finds on standard output; rejects when the program ends first. */
  async find(pattern: RegExp): Promise<RegExpExecArray> {
    let hasExited = false
    void this.exited.then(() => {
      hasExited = true
    })
    for (;;) {
      const match = pattern.exec(this.#output)
      if (match !== null) return match
      if (hasExited) throw new Error(`ended before ${pattern}: ${this.#output}${this.#errors}`)
      await new Promise<void>(resolve => this.#waiters.push(resolve))
    }
  }

  /** Kills it if it still runs; resolves when it is gone. */
  async end(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.exited
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  #wake(): void {
    for (const resolve of this.#waiters.splice(0)) resolve()
  }
}

const programs = new WeakMap<TestContext, RunningProgram[]>()

function started(t: TestContext): RunningProgram[] {
  const list = programs.get(t) ?? []
  programs.set(t, list)
  return list
}

/** A directory that is gone after the test. Hooks run in the order of their making, so its programs are ended first. */
export function temporaryDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'rocketmq-server-'))
  t.after(async () => {
    for (const program of started(t)) await program.end()
    rmSync(directory, { recursive: true, force: true })
  })
  return directory
}
