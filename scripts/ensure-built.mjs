// Installs and builds what is missing, and costs next to nothing when all is there. Runs before `npm test`,
// `npm run quickstart` and the other commands, so that each works in a fresh clone.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

function run(command, args) {
  // Build output goes to standard error, so that standard output carries only what the user's command prints.
  const result = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
  if (result.status !== 0) {
    process.stderr.write(`ensure-built: "${command} ${args.join(' ')}" failed; run it by hand to see why\n`)
    process.exit(result.status ?? 1)
  }
}

const marker = `${root}/node_modules/.package-lock.json`
const isInstalled = existsSync(marker) && statSync(marker).mtimeMs >= statSync(`${root}/package-lock.json`).mtimeMs
if (!isInstalled) run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'])
run(process.execPath, [`${root}/node_modules/typescript/bin/tsc`, '-b'])
