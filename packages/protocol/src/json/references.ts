import { RocketMqError } from '@rocketmq-ts/runtime'
import { JsonMap } from './json-map.ts'

/** An object `{"$ref": path}` that stands for another value of the same text. */
export interface Reference {
  readonly holder: object
  readonly path: string
  /** Where in the text it ends. */
  readonly at: number
}

/**
 * Values that a text with references may stand for in all: a few references to references could otherwise stand for more
 * than memory holds.
 */
const EXPANDED_LIMIT = 1_000_000

/** Levels below the root that a text with references may have, references followed. */
const OPEN_LIMIT = 512

/**
 * `root` with every reference replaced by the value it names. A value is shared, not copied. Throws BODY_INVALID when a
 * path leads nowhere or to a value that encloses the reference, which no value of JSON could be.
 */
export function resolveReferences(root: unknown, references: readonly Reference[]): unknown {
  const byHolder = new Map(references.map(reference => [reference.holder, reference]))
  const resolver = new Resolver(root, byHolder)
  return resolver.replace(root)
}

class Resolver {
  private readonly root: unknown
  private readonly byHolder: ReadonlyMap<object, Reference>
  /** Values whose parts are being replaced: a reference to one of them would make a cycle. */
  private readonly open = new Set<object>()
  /** Values that are done, to the number of values they stand for. */
  private readonly weights = new Map<object, number>()
  /** Holders of references that are done, to what they stand for. */
  private readonly followed = new Map<object, unknown>()

  constructor(root: unknown, byHolder: ReadonlyMap<object, Reference>) {
    this.root = root
    this.byHolder = byHolder
  }

  replace(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value
    const reference = this.byHolder.get(value)
    if (reference !== undefined) return this.follow(reference)
    if (this.weights.has(value)) return value
    this.enter(value)
    let weight = 1
    if (value instanceof JsonMap) {
      for (const pair of value.$pairs as [unknown, unknown][]) {
        pair[0] = this.replace(pair[0])
        pair[1] = this.replace(pair[1])
        weight += this.weightOf(pair[0]) + this.weightOf(pair[1])
      }
    } else {
      const container = value as Record<string, unknown>
      for (const key of Object.keys(container)) {
        const item = this.replace(container[key])
        if (item !== container[key]) container[key] = item
        weight += this.weightOf(item)
      }
    }
    if (weight > EXPANDED_LIMIT) {
      throw new RocketMqError('BODY_INVALID', `JSON stands for more than ${EXPANDED_LIMIT} values.`)
    }
    this.open.delete(value)
    this.weights.set(value, weight)
    return value
  }

  private enter(value: object): void {
    if (this.open.has(value)) throw cyclic()
    if (this.open.size >= OPEN_LIMIT) throw new RocketMqError('BODY_INVALID', 'JSON references are nested too deep.')
    this.open.add(value)
  }

  private weightOf(value: unknown): number {
    return typeof value === 'object' && value !== null ? (this.weights.get(value) ?? 1) : 1
  }

  private target(reference: Reference): unknown {
    let value: unknown = this.root
    for (const step of stepsOf(reference)) {
      const inner = typeof value === 'object' && value !== null ? this.byHolder.get(value) : undefined
      if (inner !== undefined) value = this.follow(inner)
      if (typeof value !== 'object' || value === null || value instanceof JsonMap || !Object.hasOwn(value, step)) {
        throw new RocketMqError(
          'BODY_INVALID',
          `JSON at character ${reference.at}: reference ${JSON.stringify(reference.path.slice(0, 200))} leads nowhere.`,
        )
      }
      value = (value as Record<string, unknown>)[step]
    }
    return this.replace(value)
  }

  /** What a reference stands for. */
  private follow(reference: Reference): unknown {
    const { holder } = reference
    if (this.followed.has(holder)) return this.followed.get(holder)
    this.enter(holder)
    const value = this.target(reference)
    this.open.delete(holder)
    this.followed.set(holder, value)
    return value
  }
}

function cyclic(): RocketMqError {
  return new RocketMqError('BODY_INVALID', 'JSON holds a reference to a value that encloses it.')
}

/**
 * Steps of a path such as `$.table.a\.b[0]`: a backslash takes the next character literally. `@` and `..` always enclose
 * the reference and are refused. Source: SerialContext#toString (fastjson 1.2.83).
 */
function stepsOf(reference: Reference): string[] {
  const { path, at } = reference
  if (path === '@' || path.startsWith('..')) throw cyclic()
  if (path[0] !== '$') {
    throw new RocketMqError('BODY_INVALID', `JSON at character ${at}: not a reference: ${JSON.stringify(path)}.`)
  }
  const steps: string[] = []
  let step = ''
  let hasStep = false
  for (let i = 1; i < path.length; i++) {
    const character = path[i]!
    if (character === '.' || character === '[') {
      if (hasStep) steps.push(step)
      step = ''
      hasStep = true
    } else if (character === ']') {
      steps.push(step)
      step = ''
      hasStep = false
    } else {
      if (character === '\\') i++
      step += path[i] ?? ''
    }
  }
  if (hasStep) steps.push(step)
  return steps
}
