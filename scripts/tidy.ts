/**
 * What the linter does not see: files that grew too long, lines that are too long, unfinished marks, tests switched off,
 * machine paths, `.only`, and packages without a charter. Run by CI; `npm run check:tidy`.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const problems: string[] = []

const LINES_MAX = 600
const LINE_LENGTH_MAX = 140
/** Tables: long because there is much to list, not because there is much to understand. */
const tables = new Set<string>([])

const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
const sources = tracked.filter(name => /\.(ts|mjs|js)$/.test(name) && !/(^|\/)(golden|fixtures)\//.test(name))
const isSelf = (name: string) => name === 'scripts/tidy.ts' || name === 'scripts/layers.ts'

const marks: readonly [RegExp, string][] = [
  [/\b(TODO|FIXME|XXX)\b/, 'an unfinished mark'],
  [/not (yet )?implemented|unimplemented/i, 'a stub'],
  [/\b(it|test|describe)\.(only|todo)\(/, 'a test switch'],
  [/\bdebugger\b/, 'a breakpoint'],
  [/@ts-(ignore|nocheck)/, 'a silenced type error'],
]

for (const name of sources) {
  const path = join(root, name)
  if (!existsSync(path)) continue
  const lines = readFileSync(path, 'utf8').split('\n')
  if (lines.length > LINES_MAX + 1 && !tables.has(name)) {
    problems.push(
      `${name}: ${lines.length} lines; split it (at most ${LINES_MAX}), or list it as a table in scripts/tidy.ts`,
    )
  }
  if (isSelf(name)) continue
  lines.forEach((line, index) => {
    if (line.length > LINE_LENGTH_MAX && !/https?:\/\//.test(line)) {
      problems.push(`${name}:${index + 1}: ${line.length} columns`)
    }
    for (const [pattern, what] of marks) {
      if (pattern.test(line)) problems.push(`${name}:${index + 1}: ${what}: ${line.trim().slice(0, 80)}`)
    }
  })
}

for (const name of tracked) {
  if (!/\.(ts|mjs|js|json|md|xml|java|go|yml)$|^\.ci\//.test(name) || isSelf(name) || /(^|\/)golden\//.test(name))
    continue
  const path = join(root, name)
  if (!existsSync(path)) continue
  readFileSync(path, 'utf8')
    .split('\n')
    .forEach((line, index) => {
      if (/(^|[^\w.-])\/(work|farm|home\/\w+)\//.test(line))
        problems.push(`${name}:${index + 1}: a path of one machine`)
    })
}

for (const packageName of readdirSync(join(root, 'packages'))) {
  for (const file of ['README.md', 'package.json', 'src/index.ts']) {
    if (!existsSync(join(root, 'packages', packageName, file))) problems.push(`packages/${packageName}: no ${file}`)
  }
}

for (const problem of problems) process.stderr.write(`${problem}\n`)
process.stderr.write(problems.length === 0 ? 'tidy: ok\n' : `tidy: ${problems.length} problems\n`)
process.exitCode = problems.length === 0 ? 0 : 1
