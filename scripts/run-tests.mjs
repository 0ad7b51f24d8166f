// Runs compiled tests with node's own runner. `--interop` runs test/interop instead of the unit, golden and
// simulation suites. Other arguments starting with `--` go to node; a word selects the files whose path holds it.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const args = process.argv.slice(2)
const isInterop = args.includes('--interop')
const selectors = args.filter(argument => !argument.startsWith('--'))
const flags = args.filter(argument => argument.startsWith('--') && argument !== '--interop')

function testFiles(directory) {
  if (!existsSync(directory)) return []
  return readdirSync(directory, { recursive: true })
    .filter(name => name.endsWith('.test.js') && !name.includes('node_modules'))
    .map(name => join(directory, name))
}

const directories = isInterop
  ? [join(root, 'test/interop/dist')]
  : [
      ...readdirSync(join(root, 'packages')).map(name => join(root, 'packages', name, 'dist-test')),
      join(root, 'test/e2e/dist'),
      join(root, 'test/simulation/dist'),
      join(root, 'scripts/dist'),
    ]
const files = directories
  .flatMap(testFiles)
  .filter(file => selectors.length === 0 || selectors.some(selector => file.includes(selector)))
  .sort()
if (files.length === 0) {
  process.stderr.write('run-tests: no test file matches; build first (npm run build) or check the selector\n')
  process.exit(1)
}
// Interop suites start Java processes: one at a time, so that two cores suffice. Otherwise a file per core, and two at least:
// the runner's default leaves one core idle, which is half of a small machine.
const concurrency = isInterop ? 1 : Math.max(2, availableParallelism())
const options = ['--enable-source-maps', '--test', `--test-concurrency=${concurrency}`, ...flags]
const child = spawn(process.execPath, [...options, ...files], {
  cwd: root,
  stdio: 'inherit',
})
child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
