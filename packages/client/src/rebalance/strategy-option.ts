import {
  type AllocateStrategy,
  allocateAveragely,
  allocateByCircle,
  allocateByConsistentHash,
} from '@rocketmq-ts/model'
import { RocketMqError } from '@rocketmq-ts/runtime'

const named = {
  AVG: allocateAveragely,
  AVG_BY_CIRCLE: allocateByCircle,
  CONSISTENT_HASH: allocateByConsistentHash(),
} as const

/** The strategies that need no settings, by the name under which Java's clients know them. */
export type AllocateStrategyName = keyof typeof named

/** The strategy that an option asks for, AVG by default. Throws `INVALID_ARGUMENT`. */
export function strategyOf(value: AllocateStrategy | AllocateStrategyName | undefined): AllocateStrategy {
  if (value === undefined) return named.AVG
  if (typeof value === 'string' && Object.hasOwn(named, value)) return named[value]
  if (typeof value === 'object' && typeof value?.allocate === 'function' && typeof value.name === 'string') return value
  const names = Object.keys(named).join(', ')
  throw new RocketMqError(
    'INVALID_ARGUMENT',
    `allocateStrategy must be one of ${names}, or an object with name and allocate(), not ${JSON.stringify(value)}`,
  )
}
