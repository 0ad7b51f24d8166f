import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeHeader, type RemotingCommand, requestCommand, unregisterBroker } from '@rocketmq-ts/protocol'
import { type Connection, Router } from '@rocketmq-ts/remoting'
import { silentLogger, systemClock, TurnScheduler } from '@rocketmq-ts/runtime'
import { DepartureQueue } from '../dist/departures.js'
import { registerRegistration } from '../dist/handlers/registration-handlers.js'
import { KvConfig } from '../dist/kv-config.js'
import { namesrvOptions } from '../dist/options.js'
import { RouteTable } from '../dist/route/route-table.js'

const departure = (brokerAddr: string) => ({ clusterName: 'C', brokerName: 'b', brokerId: 0, brokerAddr })

/** A clock whose end of turn comes when the test says so. */
function heldClock() {
  const waiting: (() => void)[] = []
  const clock = { ...systemClock, setImmediate: (callback: () => void) => void waiting.push(callback) }
  return { clock, waiting }
}

test('departures of one turn are worked off together, after it', () => {
  const { clock, waiting } = heldClock()
  const batches: string[][] = []
  const queue = new DepartureQueue(
    clock,
    () => 2,
    batch => batches.push(batch.map(({ brokerAddr }) => brokerAddr)),
  )
  assert.deepEqual(
    ['a', 'b', 'c'].map(address => queue.add(departure(address))),
    [true, true, false],
  )
  assert.deepEqual([batches.length, waiting.length], [0, 1])
  waiting.shift()!()
  assert.deepEqual(batches, [['a', 'b']])
  assert.equal(queue.add(departure('c')), true)
  queue.drain()
  waiting.shift()!()
  assert.deepEqual(batches, [['a', 'b'], ['c']])
})

test('a broker that leaves while the queue is full is told so with code 1', () => {
  const { clock } = heldClock()
  const router = new Router()
  const logger = silentLogger
  const kvConfig = new KvConfig(undefined, logger, new TurnScheduler(clock))
  const departures = new DepartureQueue(
    clock,
    () => 1,
    () => {},
  )
  const table = new RouteTable<Connection>()
  const onSmallestIdChange = () => {}
  registerRegistration(router, {
    table,
    departures,
    kvConfig,
    clock,
    logger,
    options: namesrvOptions(),
    onSmallestIdChange,
  })
  const codes: number[] = []
  const connection = {
    respond: (_: RemotingCommand, response: RemotingCommand) => codes.push(response.code),
  } as unknown as Connection
  for (const address of ['a', 'b']) {
    const ext = encodeHeader(unregisterBroker.request, departure(address))
    router.dispatch(requestCommand(unregisterBroker.code, ext), connection, 0)
  }
  assert.deepEqual(codes, [0, 1])
})
