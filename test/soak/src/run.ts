/**
 * `npm run soak`: mixed load against our standalone server, killed with SIGKILL every few seconds and started again on the
 * same directory. Ends non-zero when an acknowledged message is missing, doubled or elsewhere, or a start is refused.
 *
 *   --minutes N   default 10
 *   --seed N      default 1; decides load and kill times
 *   --sync        SYNC_FLUSH instead of ASYNC_FLUSH
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { seededRandom } from '@rocketmq-ts/runtime'
import { freePort, propertiesText, startOurStandalone, temporaryDirectory } from '../../peers/dist/index.js'
import { Ledger } from './ledger.ts'
import { type LoadState, work } from './load.ts'
import { verify } from './verify.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    sync: { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed)
const random = seededRandom(seed)
const home = temporaryDirectory('soak')
const namesrvPort = await freePort()
const brokerPort = await freePort()
const configFile = `${home.path}/broker.conf`
// Small files, so that the log, the queues and the index roll many times.
const config = {
  mappedFileSizeCommitLog: 4_194_304,
  mappedFileSizeConsumeQueue: 60_000,
  maxIndexNum: 20_000,
  maxHashSlotNum: 5000,
  fileReservedTime: 876_000,
  diskMaxUsedSpaceRatio: 95,
  flushDiskType: values.sync ? 'SYNC_FLUSH' : 'ASYNC_FLUSH',
}
writeFileSync(configFile, propertiesText(config))
const start = () => startOurStandalone(`${home.path}/store`, { namesrvPort, brokerPort, configFile })
const say = (line: string) => process.stdout.write(`${line}\n`)

let server = await start()
const ledger = new Ledger()
const state: LoadState = { running: true, refused: new Map() }
const workers = Promise.all(
  Array.from({ length: 4 }, (_, i) => work(() => server.broker, ledger, seededRandom(seed * 100 + i), state)),
)
let failed: unknown
void workers.catch(error => {
  failed = error
})

const until = performance.now() + Number(values.minutes) * 60_000
let kills = 0
let slowestStartMs = 0
try {
  while (performance.now() < until && failed === undefined) {
    await new Promise(resolve => setTimeout(resolve, 1000 + random.int(5000)))
    await server.process.stop('SIGKILL')
    kills++
    const from = performance.now()
    server = await start()
    slowestStartMs = Math.max(slowestStartMs, performance.now() - from)
    if (kills % 20 === 0) say(`soak: ${kills} kills, ${ledger.acknowledged} acknowledged`)
  }
  state.running = false
  await workers
  await server.process.stop('SIGKILL')
  server = await start()
  const read = await verify(server.broker, ledger)
  const refused = [...state.refused].map(([code, count]) => `${code}: ${count}`).join(', ') || 'none'
  say(
    `soak: seed ${seed}, ${kills} kills, ${ledger.acknowledged} acknowledged, ${read} found, none missing; ` +
      `slowest start ${Math.round(slowestStartMs)} ms; refused: ${refused}`,
  )
} catch (error) {
  failed = error
}
const exit = await server.process.stop()
if (failed === undefined && exit !== 0) failed = new Error(`the server ended with ${exit}`)
if (failed !== undefined) {
  process.stderr.write(
    `soak: seed ${seed} failed after ${kills} kills: ${failed}\n${server.process.tail()}\nstore kept in ${home.path}\n`,
  )
  process.exit(1)
}
home.dispose()
process.exit(0)
