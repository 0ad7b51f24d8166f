import { type ConsumerOffsetWrapper, consumerOffsetWrapper } from '@rocketmq-ts/protocol'
import { BackedUpFile, type Clock, type Disk, type Logger, type Timer } from '@rocketmq-ts/runtime'
import type { ConsumerOffsets, GroupOffsets, QueueOffsets } from './consumer-offsets.ts'

/** Java waits this long before the first save, ms. */
const FIRST_SAVE_DELAY_MS = 10_000

export interface OffsetFileDeps {
  readonly offsets: ConsumerOffsets
  readonly disk: Disk
  /** `<storePathRootDir>/config`, which exists. */
  readonly directory: string
  readonly clock: Clock
  readonly logger: Logger
  readonly options: { readonly flushConsumerOffsetIntervalMs: number; readonly enableLmq: boolean }
}

/** The file being kept. */
export interface OffsetFile {
  /** Resolves when the save under way, if any, has ended. Never rejects. */
  settled(): Promise<void>
  /** Ends the periodic saving and writes what has changed. Never rejects; a failed write is logged. */
  close(): Promise<void>
}

/**
 * Fills `offsets` from consumerOffset.json (lmqConsumerOffset.json with light queues) and keeps that file: every 5 s when
 * something has changed, and at the end. A killed process loses the commits since the last save; its groups then see
 * messages again, never miss any. A save takes the file's place only once it is on the device, so power loss leaves the old
 * offsets or the new; it does not block the event loop. Throws `CONFIG_INVALID` when neither file nor `.bak` can be read.
 * Source: ConsumerOffsetManager, LmqConsumerOffsetManager, 5.3.x
 */
export function keepOffsets(deps: OffsetFileDeps): OffsetFile {
  const { offsets, disk, directory, clock, logger, options } = deps
  const name = options.enableLmq ? 'lmqConsumerOffset.json' : 'consumerOffset.json'
  const file = new BackedUpFile(disk, `${directory}/${name}`)
  const content = file.load(consumerOffsetWrapper.parse)
  if (content !== undefined) offsets.replaceAll(entriesOf(content), content.dataVersion)

  let saving: Promise<void> | undefined
  const save = async () => {
    if (!offsets.isDirty) return
    offsets.isDirty = false
    try {
      await file.saveDurably(consumerOffsetWrapper.stringifyPretty(wrapperOf(offsets, options.enableLmq)))
    } catch (error) {
      offsets.isDirty = true
      logger.error({ err: error, path: file.path }, 'the consumer offsets could not be saved')
    }
  }
  const saveUnlessSaving = () => {
    saving ??= save().finally(() => {
      saving = undefined
    })
  }
  let timer: Timer
  const schedule = (delayMs: number) => {
    const onTime = () => {
      saveUnlessSaving()
      schedule(options.flushConsumerOffsetIntervalMs)
    }
    timer = clock.setTimeout(onTime, delayMs, { unref: true })
  }
  schedule(FIRST_SAVE_DELAY_MS)
  return {
    settled: async () => saving,
    async close() {
      timer.cancel()
      await saving
      await save()
    },
  }
}

/** The content of the file, and of the answer to GET_ALL_CONSUMER_OFFSET. `withLight`: light groups in their own table. */
export function wrapperOf(offsets: ConsumerOffsets, withLight: boolean): ConsumerOffsetWrapper {
  const offsetTable = new Map<string, ReadonlyMap<number, number>>()
  const lmqOffsetTable = new Map<string, number>()
  const groupTopicMap = new Map<string, string[]>()
  for (const { group, topic, offsets: queues, isLight } of offsets.entries()) {
    const key = `${topic}@${group}`
    if (withLight && isLight) {
      lmqOffsetTable.set(key, queues.get(0) ?? 0)
      continue
    }
    offsetTable.set(key, queues)
    const topics = groupTopicMap.get(group)
    if (topics === undefined) groupTopicMap.set(group, [topic])
    else topics.push(topic)
  }
  const light = withLight ? { lmqOffsetTable } : {}
  return { dataVersion: offsets.version, groupTopicMap, ...light, offsetTable }
}

function* entriesOf(content: ConsumerOffsetWrapper): Generator<GroupOffsets> {
  for (const [key, queues] of content.offsetTable) yield { ...splitKey(key), offsets: new Map(queues) }
  for (const [key, offset] of content.lmqOffsetTable ?? []) {
    const offsets: QueueOffsets = new Map([[0, offset]])
    yield { ...splitKey(key), offsets }
  }
}

/** `topic@group`; neither may hold the separator. */
function splitKey(key: string): { topic: string; group: string } {
  const at = key.lastIndexOf('@')
  return at < 0 ? { topic: key, group: '' } : { topic: key.slice(0, at), group: key.slice(at + 1) }
}
