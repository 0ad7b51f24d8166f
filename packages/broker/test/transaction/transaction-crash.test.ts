/** Whatever ends the life of the broker, and whenever: what was committed is delivered, what was rolled back is not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '@rocketmq-ts/runtime'
import { PowerOff } from '@rocketmq-ts/testing'
import { COMMIT, type HalfPlace, ROLLBACK, TransactionRig } from '../support/transaction-rig.js'

const SEEDS = 40

interface Sent extends HalfPlace {
  body: string
  end: number
}

/** What the producers have decided; bodies that begin with `r` are rolled back. Those in `acknowledged` are stored for good. */
async function live(rig: TransactionRig, seed: number, changesMax: number, life: number): Promise<string[]> {
  const random = seededRandom(seed * 31 + life)
  const acknowledged: string[] = []
  let waiting: Sent[] = []
  rig.store.onFlushed(offset => {
    acknowledged.push(...waiting.filter(({ end }) => end <= offset).map(({ body }) => body))
    waiting = waiting.filter(({ end }) => end > offset)
  })
  const last = rig.disk.changeCount + changesMax
  rig.disk.hook = () => {
    if (rig.disk.changeCount >= last) throw new PowerOff()
    return undefined
  }
  try {
    for (let i = 0; i < 300 && !rig.disk.isOff; i++) {
      const body = `${random.int(3) === 0 ? 'r' : 'c'}${life}-${i}`.padEnd(10 + random.int(1000), '.')
      const place = rig.half(body)
      if (place.end > 0) waiting.push({ ...place, body })
      await rig.advance(random.int(300))
      // A third is decided at once, a third late, and of a third nobody ever hears but when asked.
      const fate = random.int(3)
      if (fate === 0) await decide(rig, place, body)
      for (const question of rig.questions()) {
        if (random.int(2) === 0) await decide(rig, question, question.body, true)
      }
    }
  } catch (error) {
    if (!(error instanceof PowerOff)) throw error
  }
  return acknowledged
}

async function decide(rig: TransactionRig, place: HalfPlace, body: string, fromTransactionCheck = false) {
  await rig.end(place, body.startsWith('r') ? ROLLBACK : COMMIT, { fromTransactionCheck })
}

for (const how of ['killed', 'power lost'] as const) {
  test(`no transaction is lost or turned round by a broker that is ${how}, at any of ${SEEDS} moments`, async () => {
    let deliveries = 0
    for (let seed = 1; seed <= SEEDS; seed++) {
      const options = { transactionTimeoutMs: 1000, transactionCheckIntervalMs: 2000, transactionOpBatchInterval: 900 }
      const rig = new TransactionRig({ flushDiskType: 'SYNC_FLUSH', transactionCheckMax: 1000, ...options }, seed)
      await rig.start()
      const acknowledged: string[] = []
      for (let life = 0; life < 2; life++) {
        acknowledged.push(...(await live(rig, seed, 40 + ((seed * 37) % 700), life)))
        await rig.restart(how)
        // What the last life was asked is of no use any more.
        rig.questions()
      }
      let quietSeconds = 0
      for (let second = 0; second < 300 && quietSeconds < 20; second++) {
        await rig.advance(1000)
        const questions = rig.questions()
        for (const question of questions) await decide(rig, question, question.body, true)
        quietSeconds = questions.length > 0 ? 0 : quietSeconds + 1
      }
      assert.equal(quietSeconds, 20, `seed ${seed}: all have ended`)
      assert.equal(rig.positions()[0], (await rig.halves()).length)
      const delivered = await rig.bodies()
      assert.ok(!delivered.some(body => body.startsWith('r')), `seed ${seed}: what was rolled back is not delivered`)
      const found = new Set(delivered)
      const missing = acknowledged.filter(body => body.startsWith('c') && !found.has(body))
      assert.deepEqual(missing, [], `seed ${seed}: ${acknowledged.length} acknowledged, ${delivered.length} delivered`)
      deliveries += delivered.length
      await rig.stop()
    }
    assert.ok(deliveries > SEEDS * 20)
  })
}
