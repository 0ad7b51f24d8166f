/**
 * `npm run fuzz`: hostile frames against a live standalone server, replayable from a seed; ends with the server serving.
 *
 *   --frames N   how many (default 100,000; the acceptance run is 1,000,000)
 *   --seed N     default 1
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { seededRandom } from '@rocketmq-ts/runtime'
import { startOurStandalone, temporaryDirectory } from '../../test/peers/dist/index.js'
import { Attacker } from './attacker.ts'
import { HostileFrames } from './hostile-frames.ts'
import { askRoute, sendOne } from './still-serving.ts'

const { values } = parseArgs({
  options: { frames: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
})
const frames = Number(values.frames)
const seed = Number(values.seed)
const RSS_GROWTH_MAX_BYTES = 400 * 2 ** 20

const recorded = JSON.parse(
  readFileSync(fileURLToPath(new URL('../../packages/protocol/test/golden/recorded.json', import.meta.url)), 'utf8'),
) as { vectors: { hex: string }[] }
const corpus = recorded.vectors.map(vector => Buffer.from(vector.hex, 'hex')).filter(frame => frame.length > 8)

const home = temporaryDirectory('fuzz')
const server = await startOurStandalone(`${home.path}/store`)
let failed: unknown
try {
  await sendOne(server.broker, 'FuzzBefore')
  const rssBefore = server.process.usage().rssBytes
  const attackers = [server.broker, server.namesrv, server.broker, server.broker].map(
    (address, index) => new Attacker(address, new HostileFrames(corpus, seededRandom(seed * 1000 + index))),
  )
  const started = performance.now()
  await Promise.all(attackers.map(attacker => attacker.attack(Math.ceil(frames / attackers.length))))
  const seconds = (performance.now() - started) / 1000
  await sendOne(server.broker, 'FuzzAfter')
  await askRoute(server.namesrv, 'FuzzAfter')
  const { rssBytes } = server.process.usage()
  const connections = attackers.reduce((sum, attacker) => sum + attacker.connections, 0)
  const growth = rssBytes - rssBefore
  process.stdout.write(
    `fuzz: seed ${seed}, ${frames} frames over ${connections} connections in ${seconds.toFixed(1)} s; ` +
      `memory ${Math.round(rssBefore / 2 ** 20)} -> ${Math.round(rssBytes / 2 ** 20)} MiB; still serving\n`,
  )
  if (growth > RSS_GROWTH_MAX_BYTES) throw new Error(`memory grew by ${Math.round(growth / 2 ** 20)} MiB`)
} catch (error) {
  failed = error
}
const exit = await server.process.stop()
if (failed === undefined && exit !== 0) failed = new Error(`the server ended with ${exit}`)
if (failed !== undefined) {
  process.stderr.write(
    `fuzz: seed ${seed} failed: ${failed instanceof Error ? failed.message : failed}\n${server.process.tail()}\n`,
  )
  process.exitCode = 1
}
home.dispose()
