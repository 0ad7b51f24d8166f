import { goMissing, javaMissing, type ManagedProcess } from '../../peers/dist/index.js'

/** In CI a missing toolchain is a failure; on a laptop it skips that peer, loudly. */
function skipReason(missing: string | undefined): string | false {
  if (missing === undefined) return false
  if (process.env.INTEROP_REQUIRED) throw new Error(`the interop suite needs it: ${missing}`)
  process.stderr.write(`\n*** interop: SKIPPED, ${missing}\n`)
  return missing
}

export const skipWithoutJava = skipReason(javaMissing())
export const skipWithoutGo = skipReason(goMissing())

/** Everything `pattern` (global, one group) finds in the output so far, once at least `count` are there. */
export async function collect(
  child: ManagedProcess,
  pattern: RegExp,
  count: number,
  timeoutMs = 60_000,
): Promise<string[]> {
  const all = new RegExp(`(?:${pattern.source}[^]*?){${count}}`)
  await child.waitFor(all, timeoutMs)
  return [...child.text.matchAll(new RegExp(pattern.source, 'g'))].map(match => match[1] ?? '')
}

/** Waits until `check` is true, looking every 50 ms; what it waits for is an event of another process. */
export async function eventually(
  what: string,
  check: () => boolean | Promise<boolean>,
  timeoutMs = 60_000,
): Promise<void> {
  const until = performance.now() + timeoutMs
  while (!(await check())) {
    if (performance.now() > until) throw new Error(`${what}: not within ${timeoutMs} ms`)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

export const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}-${i}`)
