/**
 * Fails when an import goes up or sideways, when a package is entered by a path instead of `.` or `./internal`, when a
 * module or global that reaches the outside is used outside `runtime`, or when `package.json` and `tsconfig.json` allow
 * what the layer table does not. Run by CI; `npm run check:imports`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { allowedImports, outsideGlobals, outsideModules } from './layers.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const problems: string[] = []

function sourceFiles(directory: string): string[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map(name => join(directory, name))
}

/** Comments are blanked, so that an example in a doc comment is no import; lines keep their numbers. */
function withoutComments(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, comment => comment.replace(/[^\n]/g, ' '))
    .replace(/(^|[^:'"`])\/\/[^\n]*/g, (_all, before: string) => before)
}

const importPattern = /(?:\bfrom\s*|\bimport\s*\(?\s*)'([^']+)'/g

function checkSpecifier(packageName: string, specifier: string, where: string, isTest: boolean): void {
  const outside = outsideModules[specifier]
  if (outside && !isTest && !outside.includes(packageName)) {
    problems.push(`${where}: ${packageName} imports ${specifier}; only ${outside.join(', ')} may`)
  }
  const match = /^@rocketmq-ts\/([^/]+)(\/.*)?$/.exec(specifier)
  if (!match) return
  const target = match[1] ?? ''
  const door = match[2]
  if (door !== undefined && door !== '/internal') {
    problems.push(`${where}: enters ${target} by ${door}; use . or ./internal`)
  }
  const allowed = allowedImports[packageName] ?? []
  if (isTest) {
    if (target !== packageName && target !== 'testing' && !allowed.includes(target)) {
      problems.push(`${where}: the tests of ${packageName} import ${target}, which ${packageName} may not`)
    }
  } else if (!allowed.includes(target)) {
    problems.push(`${where}: ${packageName} must not import ${target} (see scripts/layers.ts)`)
  }
}

function checkFile(packageName: string, file: string, isTest: boolean): void {
  const where = relative(root, file)
  const text = withoutComments(readFileSync(file, 'utf8'))
  for (const match of text.matchAll(importPattern)) checkSpecifier(packageName, match[1] ?? '', where, isTest)
  if (isTest || packageName === 'runtime') return
  text.split('\n').forEach((line, index) => {
    for (const pattern of outsideGlobals) {
      if (pattern.test(line)) problems.push(`${where}:${index + 1}: ${line.trim()} (take a port from runtime instead)`)
    }
  })
}

function checkManifest(packageName: string): void {
  const directory = join(root, 'packages', packageName)
  const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>
  }
  const allowed = allowedImports[packageName] ?? []
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    const target = /^@rocketmq-ts\/(.+)$/.exec(name)?.[1]
    if (target && !allowed.includes(target)) problems.push(`packages/${packageName}/package.json: depends on ${target}`)
  }
  const project = JSON.parse(readFileSync(join(directory, 'tsconfig.json'), 'utf8')) as {
    references?: { path: string }[]
  }
  for (const { path } of project.references ?? []) {
    const target = /^\.\.\/([^/]+)$/.exec(path)?.[1]
    if (target && !allowed.includes(target)) {
      problems.push(`packages/${packageName}/tsconfig.json: references ${target}`)
    }
  }
}

for (const packageName of readdirSync(join(root, 'packages'))) {
  if (!(packageName in allowedImports)) {
    problems.push(`packages/${packageName}: not in scripts/layers.ts; a package states what it may import`)
    continue
  }
  checkManifest(packageName)
  for (const file of sourceFiles(join(root, 'packages', packageName, 'src'))) checkFile(packageName, file, false)
  for (const file of sourceFiles(join(root, 'packages', packageName, 'test'))) checkFile(packageName, file, true)
}

for (const problem of problems) process.stderr.write(`${problem}\n`)
process.stderr.write(problems.length === 0 ? 'check-imports: ok\n' : `check-imports: ${problems.length} problems\n`)
process.exitCode = problems.length === 0 ? 0 : 1
