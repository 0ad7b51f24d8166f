import { delayOffsetWrapper, getAllDelayOffset } from '@rocketmq-ts/protocol'
import type { Router } from '@rocketmq-ts/remoting'
import { type ScheduleDeps, ScheduleService } from './schedule-service.ts'

/**
 * Makes what delivers delayed messages, not yet running, and answers GET_ALL_DELAY_OFFSET (45), by which slaves and tools
 * learn its progress. Throws `CONFIG_INVALID` when delayOffset.json can't be read.
 * Source: AdminBrokerProcessor#getAllDelayOffset, 5.3.x
 */
export function registerSchedule(router: Router, deps: ScheduleDeps): ScheduleService {
  const service = new ScheduleService(deps)
  router.handle(getAllDelayOffset, () => ({ body: delayOffsetWrapper.encode(service.offsets.snapshot()) }))
  return service
}
