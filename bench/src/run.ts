/**
 * `npm run bench`: our broker and the Java broker, one after the other on this machine in this run, under the same load
 * generator; then our client beside ali-ons and the Java client on our broker. Prints a table and writes JSON.
 *
 *   --smoke        tiny inputs: shows that every row still works, measures nothing
 *   --only WORD    only rows whose name holds WORD (repeatable)
 *   --scale X      a factor on all message counts (default 1)
 *   --json FILE    where the figures go (default bench/results/<time>.json)
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { measureSuite, type SuiteOptions } from './suite.ts'
import { formatTable, ratioOf, verdict } from './table.ts'

const { values } = parseArgs({
  options: {
    smoke: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    scale: { type: 'string' },
    json: { type: 'string' },
  },
})

const scale = values.scale ? Number(values.scale) : values.smoke ? 0.002 : 1
if (!(scale > 0)) {
  process.stderr.write(`bench: --scale must be a positive number, not "${values.scale}"\n`)
  process.exit(2)
}

const options: SuiteOptions = {
  scale,
  includes: name => values.only.length === 0 || values.only.some(word => name.includes(word)),
  log: line => process.stderr.write(`${line}\n`),
}
const startedAt = new Date()
const rows = await measureSuite(options)
const machine = `${cpus().length} x ${cpus()[0]?.model ?? 'unknown CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`
process.stdout.write(`\n${startedAt.toISOString().slice(0, 10)}, ${machine}, scale ${scale}\n\n${formatTable(rows)}\n`)

const root = fileURLToPath(new URL('..', import.meta.url))
const file = values.json ?? join(root, 'results', `${startedAt.toISOString().replaceAll(':', '-')}.json`)
mkdirSync(dirname(file), { recursive: true })
const result = {
  date: startedAt.toISOString(),
  machine,
  scale,
  rows: rows.map(row => ({ ...row, ratio: ratioOf(row), verdict: verdict(row) })),
}
writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`)
