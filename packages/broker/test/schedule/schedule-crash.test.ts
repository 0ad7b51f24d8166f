/** Whatever ends the life of the broker, and whenever: an acknowledged delayed message is delivered, at least once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '@rocketmq-ts/runtime'
import { PowerOff } from '@rocketmq-ts/testing'
import { ScheduleRig } from '../support/schedule-rig.js'

const SEEDS = 60

/** Sends and delivers until the disk has seen `changesMax` changes; the bodies that were acknowledged. */
async function live(rig: ScheduleRig, seed: number, changesMax: number, life: number): Promise<string[]> {
  const random = seededRandom(seed)
  const acknowledged: string[] = []
  let waiting: { body: string; endOffset: number }[] = []
  const acknowledge = (offset: number) => {
    acknowledged.push(...waiting.filter(({ endOffset }) => endOffset <= offset).map(({ body }) => body))
    waiting = waiting.filter(({ endOffset }) => endOffset > offset)
  }
  rig.store.onFlushed(acknowledge)
  const last = rig.disk.changeCount + changesMax
  rig.disk.hook = () => {
    if (rig.disk.changeCount >= last) throw new PowerOff()
    return undefined
  }
  try {
    for (let i = 0; i < 400 && !rig.disk.isOff; i++) {
      const body = `${life}-${i}`.padEnd(10 + random.int(2000), '.')
      const endOffset = rig.delay({ level: 1 + random.int(3), body })
      if (endOffset > 0) waiting.push({ body, endOffset })
      await rig.advance(random.int(700))
    }
  } catch (error) {
    if (!(error instanceof PowerOff)) throw error
  }
  return acknowledged
}

for (const how of ['killed', 'power lost'] as const) {
  test(`no acknowledged message is lost by a broker that is ${how}, at any of ${SEEDS} moments`, async () => {
    let deliveries = 0
    for (let seed = 1; seed <= SEEDS; seed++) {
      const rig = new ScheduleRig({ flushDiskType: 'SYNC_FLUSH', flushDelayOffsetIntervalMs: 2000 }, seed)
      await rig.start()
      const acknowledged: string[] = []
      for (let life = 0; life < 2; life++) {
        acknowledged.push(...(await live(rig, seed, 40 + ((seed * 37) % 900), life)))
        await rig.restart(how)
      }
      for (let second = 0; second < 25; second++) await rig.advance(1000)
      const delivered = await rig.bodies()
      const found = new Set(delivered)
      const missing = acknowledged.filter(body => !found.has(body))
      assert.deepEqual(missing, [], `seed ${seed}: ${acknowledged.length} acknowledged, ${delivered.length} delivered`)
      deliveries += delivered.length
      await rig.stop()
    }
    assert.ok(deliveries > SEEDS * 20)
  })
}
