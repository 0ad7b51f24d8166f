import type { Condition, Expression, NumberOperand, OrderSign, TextTest } from './expression.ts'
import { compareDoubles, parseJavaDouble, parseJavaNumber } from './java-number.ts'

/** Where a selection finds a message's properties; a `Map` is one. */
export interface PropertySource {
  get(name: string): string | undefined
}

/**
 * What a selection says of a message. `failed`: a property's text can't be what it is compared with; Java throws then, and
 * the message isn't selected. Numbers, so that telling so costs no exception.
 */
export const verdict = { no: 0, yes: 1, unknown: 2, failed: 3 } as const
export type Verdict = (typeof verdict)[keyof typeof verdict]

/** A condition made ready to be asked. */
export type Judge = (source: PropertySource) => Verdict

const { no, yes, unknown, failed } = verdict
const FAILED = Symbol('failed')
type Value = string | boolean | NumberOperand | null | typeof FAILED
type Reader = (source: PropertySource) => Value

/**
 * Turns a condition into one function. Parts that depend on no property are worked out here. Costs no allocation per
 * message. Source: LogicExpression, ComparisonExpression, UnaryExpression, 5.3.x
 */
export function compile(condition: Condition): Judge {
  const judge = judgeOf(condition)
  return isConstant(condition) ? always(judge(nowhere)) : judge
}

const nowhere: PropertySource = { get: () => undefined }

function always(value: Verdict): Judge {
  return () => value
}

function judgeOf(condition: Condition): Judge {
  switch (condition.type) {
    case 'truth':
      return always(condition.value === null ? unknown : condition.value ? yes : no)
    case 'and':
      return firstThat(no, yes, condition.terms.map(compile))
    case 'or':
      return firstThat(yes, no, condition.terms.map(compile))
    case 'not':
      return opposite(compile(condition.condition))
    case 'property-as-condition': {
      const { name } = condition.property
      return source => (source.get(name) === undefined ? unknown : no)
    }
    case 'equal':
      return equality(condition.left, condition.right)
    case 'order':
      return ordering(condition.sign, condition.left, condition.right)
    case 'in':
      return membership(condition.property.name, condition.values, condition.not)
    case 'text-test':
      return condition.search === ''
        ? always(no)
        : textTest(condition.left, condition.test, condition.search, condition.not)
  }
}

/** AND and OR: the first term that decides ends the work; one that fails does so, too. */
function firstThat(deciding: Verdict, otherwise: Verdict, terms: readonly Judge[]): Judge {
  return source => {
    let result = otherwise
    for (let i = 0; i < terms.length; i++) {
      const term = (terms[i] as Judge)(source)
      if (term === deciding || term === failed) return term
      if (term === unknown) result = unknown
    }
    return result
  }
}

function opposite(judge: Judge): Judge {
  return source => {
    const value = judge(source)
    return value === yes ? no : value === no ? yes : value
  }
}

function membership(name: string, values: readonly string[], not: boolean): Judge {
  const set = new Set(values)
  return source => {
    const value = source.get(name)
    if (value === undefined) return unknown
    return set.has(value) === not ? no : yes
  }
}

const textTests: Record<TextTest, (text: string, search: string) => boolean> = {
  CONTAINS: (text, search) => text.includes(search),
  STARTSWITH: (text, search) => text.startsWith(search),
  ENDSWITH: (text, search) => text.endsWith(search),
}

/** No text is never selected, by the NOT forms neither. */
function textTest(left: Expression, test: TextTest, search: string, not: boolean): Judge {
  const read = readerOf(left)
  const holds = textTests[test]
  return source => {
    const value = read(source)
    if (value === FAILED) return failed
    return typeof value === 'string' && holds(value, search) !== not ? yes : no
  }
}

function equality(left: Expression, right: Expression): Judge {
  if (left.type === 'property' && right.type === 'truth' && right.value === null) {
    const { name } = left
    return source => (source.get(name) === undefined ? yes : no)
  }
  if (left.type === 'property' && right.type === 'text') {
    const { name } = left
    const { value } = right
    return source => {
      const text = source.get(name)
      return text === undefined ? unknown : text === value ? yes : no
    }
  }
  const readLeft = readerOf(left)
  const readRight = readerOf(right)
  return source => {
    const a = readLeft(source)
    if (a === FAILED) return failed
    const b = readRight(source)
    if (b === FAILED) return failed
    if (a === null) return b === null ? yes : unknown
    if (b === null) return no
    const result = compareValues(a, b)
    return result === undefined ? failed : result === 0 ? yes : no
  }
}

const orders: Record<OrderSign, (result: number) => boolean> = {
  '<': result => result < 0,
  '<=': result => result <= 0,
  '>': result => result > 0,
  '>=': result => result >= 0,
}

function ordering(sign: OrderSign, left: Expression, right: Expression): Judge {
  const holds = orders[sign]
  const readLeft = readerOf(left)
  const readRight = readerOf(right)
  return source => {
    const a = readLeft(source)
    if (a === null) return unknown
    if (a === FAILED) return failed
    const b = readRight(source)
    if (b === null) return unknown
    if (b === FAILED) return failed
    const result = typeof a === 'string' && typeof b === 'string' ? compareAsDoubles(a, b) : compareValues(a, b)
    return result === undefined ? failed : holds(result) ? yes : no
  }
}

function readerOf(expression: Expression): Reader {
  switch (expression.type) {
    case 'property': {
      const { name } = expression
      return source => source.get(name) ?? null
    }
    case 'text': {
      const { value } = expression
      return () => value
    }
    case 'number':
      return () => expression
    case 'nothing': {
      if (expression.condition === undefined) return () => null
      const judge = compile(expression.condition)
      return source => (judge(source) === failed ? FAILED : null)
    }
    default: {
      const judge = compile(expression)
      return source => truthOf(judge(source))
    }
  }
}

function truthOf(value: Verdict): boolean | null | typeof FAILED {
  return value === failed ? FAILED : value === unknown ? null : value === yes
}

/** Two texts in an order: Java reads both as doubles, whatever they look like. */
function compareAsDoubles(left: string, right: string): number | undefined {
  const a = parseJavaDouble(left)
  if (a === undefined) return undefined
  const b = parseJavaDouble(right)
  return b === undefined ? undefined : compareDoubles(a, b)
}

/**
 * Less than, equal to or greater than 0; undefined where Java throws. A text becomes what the other side is.
 * Source: ComparisonExpression#__compare, 5.3.x
 */
function compareValues(
  left: string | boolean | NumberOperand,
  right: string | boolean | NumberOperand,
): number | undefined {
  if (typeof left === 'string') {
    if (typeof right === 'string') return left === right ? 0 : 1
    if (typeof right === 'boolean') return Number(isTrue(left)) - Number(right)
    const value = parseJavaNumber(left, right.kind)
    return value === undefined ? undefined : compareNumbers(value, right.value, right.kind === 'double')
  }
  if (typeof left === 'boolean') {
    if (typeof right === 'boolean') return Number(left) - Number(right)
    return typeof right === 'string' ? undefined : -1
  }
  if (typeof right === 'boolean') return -1
  if (typeof right === 'string') {
    const value = parseJavaNumber(right, left.kind)
    return value === undefined ? undefined : compareNumbers(left.value, value, left.kind === 'double')
  }
  return compareNumbers(left.value, right.value, left.kind === 'double' || right.kind === 'double')
}

function compareNumbers(left: number | bigint, right: number | bigint, asDoubles: boolean): number {
  if (asDoubles) return compareDoubles(Number(left), Number(right))
  return left < right ? -1 : left > right ? 1 : 0
}

function isTrue(text: string): boolean {
  return text.length === 4 && text.toLowerCase() === 'true'
}

/** Whether no property decides. */
function isConstant(expression: Expression): boolean {
  switch (expression.type) {
    case 'property':
    case 'property-as-condition':
    case 'in':
      return false
    case 'text':
    case 'number':
    case 'truth':
      return true
    case 'nothing':
      return expression.condition === undefined || isConstant(expression.condition)
    case 'and':
    case 'or':
      return expression.terms.every(isConstant)
    case 'not':
      return isConstant(expression.condition)
    case 'equal':
    case 'order':
      return isConstant(expression.left) && isConstant(expression.right)
    case 'text-test':
      return isConstant(expression.left)
  }
}
