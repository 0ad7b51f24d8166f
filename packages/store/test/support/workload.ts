import { type Random, seededRandom, TurnScheduler } from '@rocketmq-ts/runtime'
import type { AppendRecord, MessageStore, StoreOptions } from '@rocketmq-ts/store'
import type { SimClock, SimDisk } from '@rocketmq-ts/testing'
import { openStore, recordOf } from './open-store.ts'

/** A message as the test remembers it. */
export interface Sent {
  readonly topic: string
  readonly queueId: number
  readonly queueOffset: number
  readonly physicalOffset: number
  readonly endOffset: number
  readonly uniqueKey: string
  readonly bodyText: string
}

/** What a life of the store has come to. */
export interface Life {
  /** In log order; what was rolled back isn't there. */
  readonly sent: Sent[]
  /** The log's end that `onWritten`, `onFlushed` have told. */
  written: number
  flushed: number
  /** Messages made so far, stored or not: the source of their unique keys. */
  made: number
}

export const crashOptions: Partial<StoreOptions> = {
  commitLogFileSizeBytes: 8 * 1024,
  consumeQueueFileSizeBytes: 200,
  indexHashSlotCount: 16,
  indexEntryCount: 40,
  fileReservedTimeHours: 24,
}

export const DIRECTORY = '/store'

export interface Scene {
  readonly disk: SimDisk
  readonly clock: SimClock
  readonly random: Random
  readonly options: Partial<StoreOptions>
  readonly life: Life
}

/** Opens the store of a scene and lets it tell `scene.life` of its progress. */
export async function openScene(scene: Scene): Promise<{ store: MessageStore; turn: TurnScheduler }> {
  const { disk, clock, life } = scene
  // What a dead disk throws in the middle of a turn is expected here.
  const turn = new TurnScheduler(clock, () => {})
  const store = await openStore(DIRECTORY, {
    disk,
    clock,
    turn,
    options: { ...crashOptions, ...scene.options },
    tuning: { tailChunkBytes: 2048, tailRetainedBytes: 4096, coldCacheBytes: 0 },
  })
  store.onWritten(offset => {
    life.written = Math.max(life.written, offset)
  })
  store.onFlushed(offset => {
    life.flushed = Math.max(life.flushed, offset)
  })
  store.onFailure(fromOffset => {
    // The process died inside the write: what reached the disk may well be there in the next life.
    if (disk.isOff) return
    while (life.sent.length > 0 && life.sent[life.sent.length - 1]!.physicalOffset >= fromOffset) life.sent.pop()
  })
  return { store, turn }
}

function randomRecord(random: Random, life: Life, topic: string, queueId: number): AppendRecord {
  const uniqueKey = `u${life.made++}`
  const bodyText = `${uniqueKey}:`.padEnd(4 + random.int(random.int(10) === 0 ? 1500 : 120), 'x')
  const keys = random.int(3) === 0 ? `k${random.int(5)} k${random.int(5)}` : undefined
  const keysText = keys === undefined ? '' : `KEYS\u0001${keys}\u0002`
  return recordOf({
    topic,
    queueId,
    body: Buffer.from(bodyText),
    properties: `${keysText}UNIQ_KEY\u0001${uniqueKey}\u0002`,
    uniqueKey,
    keys,
  })
}

/** Appends one message or a batch, and remembers what the store has taken. */
export function sendSome(store: MessageStore, random: Random, life: Life): void {
  const topic = `T${random.int(3)}`
  const queueId = random.int(2)
  const count = random.int(5) === 0 ? 2 + random.int(3) : 1
  const records = Array.from({ length: count }, () => randomRecord(random, life, topic, queueId))
  const result = count === 1 ? store.append(records[0]!) : store.appendBatch(records)
  if (result.status !== 'PUT_OK') return
  const offsets = count === 1 ? [result.physicalOffset] : result.physicalOffsets
  offsets.forEach((physicalOffset, index) => {
    life.sent.push({
      topic,
      queueId,
      queueOffset: result.queueOffset + index,
      physicalOffset,
      endOffset: offsets[index + 1] ?? result.endOffset,
      uniqueKey: records[index]!.uniqueKey!,
      bodyText: records[index]!.body.toString(),
    })
  })
}

/**
 * Works with a store for `steps` random steps: sends, ends of turns, flushes, time passing, a clean restart now and
 * then. Ends early when the disk is off.
 */
export async function runWorkload(scene: Scene, steps: number): Promise<void> {
  const { clock, disk, random, life } = scene
  let { store } = await openScene(scene)
  for (let step = 0; step < steps && !disk.isOff; step++) {
    const kind = random.int(20)
    if (kind < 12) sendSome(store, random, life)
    else if (kind < 15) clock.runImmediates()
    else if (kind < 17) await clock.settle()
    else if (kind < 19) clock.advance(50 + random.int(1500))
    else if (random.int(3) > 0) {
      clock.advance(60_500)
      await clock.settle()
    } else {
      const closing = store.close()
      await clock.settle()
      await clock.settle()
      await closing
      if (disk.isOff) return
      store = (await openScene(scene)).store
    }
  }
  if (!disk.isOff) await clock.settle()
}

/** A scene from a seed. */
export function newScene(seed: number, disk: SimDisk, clock: SimClock, options: Partial<StoreOptions>): Scene {
  return { disk, clock, random: seededRandom(seed), options, life: { sent: [], written: 0, flushed: 0, made: 0 } }
}
