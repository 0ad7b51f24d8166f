import {
  type Condition,
  type Expression,
  isCondition,
  type NumberOperand,
  type Operand,
  type OrderSign,
  type PropertyOperand,
  type TextTest,
} from './expression.ts'
import { compareDoubles, parseJavaNumber } from './java-number.ts'
import { Lexer, refusal, type Token, type TokenKind } from './lexer.ts'

/** Brackets, minus signs and NOTs within each other; more would need more stack than a request may cost. */
const DEPTH_MAX = 500

/**
 * Reads a selection. Throws `INVALID_ARGUMENT`, saying what and where, for what Java refuses.
 *
 * ```text
 *  or       := and { OR and }                    and := equality { AND equality }
 *  equality := comparison { = comparison | <> comparison | IS [NOT] NULL }
 *  comparison := unary { (< | <= | > | >=) unary | [NOT] BETWEEN unary AND unary
 *                      | [NOT] IN ( text {, text} ) | [NOT] (CONTAINS | STARTSWITH | ENDSWITH) text }
 *  unary    := (+ | - | NOT) unary | ( or ) | name | number | text | TRUE | FALSE | NULL
 * ```
 *
 * As in Java, the expression ends where it can't go on: what follows isn't looked at, except for the next token.
 * Source: SelectorParser, ComparisonExpression, UnaryExpression, 5.3.x
 */
export function parseSelection(expression: string): Condition {
  return new Parser(expression).selection()
}

class Parser {
  readonly #lexer: Lexer
  #token: Token
  #depth = 0

  constructor(expression: string) {
    this.#lexer = new Lexer(expression)
    this.#token = this.#lexer.next()
  }

  selection(): Condition {
    return conditionOf(this.#or())
  }

  #or(): Expression {
    return this.#chain('or', 'OR', () => this.#and())
  }

  #and(): Expression {
    return this.#chain('and', 'AND', () => this.#equality())
  }

  #chain(type: 'and' | 'or', kind: TokenKind, term: () => Expression): Expression {
    const first = term()
    if (this.#token.kind !== kind) return first
    const terms = [conditionOf(first)]
    while (this.#accept(kind)) terms.push(conditionOf(term()))
    return { type, terms }
  }

  #equality(): Expression {
    let left = this.#comparison()
    for (;;) {
      if (this.#accept('=')) left = equal(left, this.#comparison())
      else if (this.#accept('<>')) left = { type: 'not', condition: equal(left, this.#comparison()) }
      else if (this.#accept('IS')) {
        const isNot = this.#accept('NOT')
        this.#expect('NULL')
        const isNull: Condition = { type: 'equal', left, right: { type: 'truth', value: null } }
        left = isNot ? { type: 'not', condition: isNull } : isNull
      } else return left
    }
  }

  #comparison(): Expression {
    let left = this.#unary()
    for (;;) {
      const { kind } = this.#token
      switch (kind) {
        case '<':
        case '<=':
        case '>':
        case '>=':
          this.#advance()
          left = order(kind, left, this.#unary())
          break
        case 'NOT':
          this.#advance()
          left = this.#textOrRange(left, true)
          break
        case 'BETWEEN':
        case 'IN':
        case 'CONTAINS':
        case 'STARTSWITH':
        case 'ENDSWITH':
          left = this.#textOrRange(left, false)
          break
        default:
          return left
      }
    }
  }

  /** What may have a NOT before it. */
  #textOrRange(left: Expression, not: boolean): Condition {
    const { kind } = this.#token
    switch (kind) {
      case 'BETWEEN':
        this.#advance()
        return this.#between(left, not)
      case 'IN':
        this.#advance()
        return this.#in(left, not)
      case 'CONTAINS':
      case 'STARTSWITH':
      case 'ENDSWITH':
        this.#advance()
        return { type: 'text-test', test: kind satisfies TextTest, left, search: this.#expect('text').text, not }
      default:
        throw this.#unexpected('BETWEEN, IN, CONTAINS, STARTSWITH or ENDSWITH')
    }
  }

  #between(value: Expression, not: boolean): Condition {
    const low = this.#unary()
    this.#expect('AND')
    const high = this.#unary()
    if (not) return { type: 'or', terms: [order('<', value, low), order('>', value, high)] }
    const terms = [order('>=', value, low), order('<=', value, high)]
    if (isLiteral(low) && isLiteral(high) && compareNumbers(low, high) > 0) {
      throw refusal(`BETWEEN ${low.value} AND ${high.value}: the first must not be greater than the second`)
    }
    return { type: 'and', terms }
  }

  #in(left: Expression, not: boolean): Condition {
    this.#expect('(')
    const values = [this.#expect('text').text]
    while (this.#accept(',')) values.push(this.#expect('text').text)
    this.#expect(')')
    if (left.type !== 'property') throw refusal(`IN needs a property on its left, not ${describe(left)}`)
    return { type: 'in', property: left satisfies PropertyOperand, values, not }
  }

  #unary(): Expression {
    if (++this.#depth > DEPTH_MAX) throw refusal(`the expression is nested more than ${DEPTH_MAX} deep`)
    try {
      if (this.#accept('+')) return this.#unary()
      if (this.#accept('-')) return negate(this.#unary())
      if (this.#accept('NOT')) return { type: 'not', condition: conditionOf(this.#unary()) }
      return this.#primary()
    } finally {
      this.#depth--
    }
  }

  #primary(): Expression {
    const { kind, text } = this.#token
    switch (kind) {
      case 'text':
        this.#advance()
        return { type: 'text', value: text }
      case 'integer':
        this.#advance()
        return integer(text)
      case 'decimal':
        this.#advance()
        return decimal(text)
      case 'TRUE':
      case 'FALSE':
      case 'NULL':
        this.#advance()
        return { type: 'truth', value: kind === 'NULL' ? null : kind === 'TRUE' }
      case 'name':
        this.#advance()
        return { type: 'property', name: text }
      case '(': {
        this.#advance()
        const inner = this.#or()
        this.#expect(')')
        return inner
      }
      default:
        throw this.#unexpected('a property, a value or a bracket')
    }
  }

  #advance(): void {
    this.#token = this.#lexer.next()
  }

  #accept(kind: TokenKind): boolean {
    if (this.#token.kind !== kind) return false
    this.#advance()
    return true
  }

  #expect(kind: TokenKind): Token {
    const token = this.#token
    if (token.kind !== kind) throw this.#unexpected(kind === 'text' ? 'a text in single quotes' : kind)
    this.#advance()
    return token
  }

  #unexpected(wanted: string): Error {
    const { kind, text, at } = this.#token
    const found = kind === 'end' ? 'the expression ends' : `${JSON.stringify(text)} stands`
    return refusal(`${found} at column ${at + 1}, where ${wanted} is expected`)
  }
}

function conditionOf(expression: Expression): Condition {
  if (isCondition(expression)) return expression
  if (expression.type === 'property') return { type: 'property-as-condition', property: expression }
  throw refusal(`${describe(expression)} is neither true nor false`)
}

function equal(left: Expression, right: Expression): Condition {
  for (const side of [left, right]) {
    if (side.type === 'truth' && side.value === null) throw refusal('NULL can not be compared; use IS NULL')
  }
  const isRightConstant = right.type === 'text' || (right.type === 'number' && right.isLiteral)
  if (left.type === 'truth' && isRightConstant) {
    throw refusal(`${describe(left)} can not be compared with ${describe(right)}`)
  }
  return { type: 'equal', left, right }
}

function order(sign: OrderSign, left: Expression, right: Expression): Condition {
  return { type: 'order', sign, left: ordered(left), right: ordered(right) }
}

/** An operand of an order. Texts have none. */
function ordered(expression: Expression): Operand {
  if (isCondition(expression) || expression.type === 'text') {
    throw refusal(`${describe(expression)} can not be compared by <, <=, >, >= or BETWEEN`)
  }
  return expression
}

function isLiteral(expression: Expression): expression is NumberOperand {
  return expression.type === 'number' && expression.isLiteral
}

/** Less than, equal to or greater than 0. */
function compareNumbers(left: NumberOperand, right: NumberOperand): number {
  if (left.kind === 'double' || right.kind === 'double') return compareDoubles(Number(left.value), Number(right.value))
  return left.value < right.value ? -1 : left.value > right.value ? 1 : 0
}

function negate(operand: Expression): Operand {
  if (operand.type === 'number') return { ...operand, value: negated(operand), isLiteral: false }
  if (operand.type === 'nothing') return operand
  return { type: 'nothing', condition: isCondition(operand) && operand.type !== 'truth' ? operand : undefined }
}

/** An int has no -0. */
function negated({ kind, value }: NumberOperand): number | bigint {
  if (typeof value === 'bigint') return -value
  return kind === 'double' ? -value : 0 - value
}

function integer(text: string): NumberOperand {
  const digits = /[lL]$/.test(text) ? text.slice(0, -1) : text
  const value = parseJavaNumber(digits, 'long')
  if (value === undefined) throw refusal(`${text} is greater than 9223372036854775807`)
  return { type: 'number', kind: value <= 2147483647 ? 'int' : 'long', value, isLiteral: true }
}

function decimal(text: string): NumberOperand {
  const value = Number(text)
  if (value > Number.MAX_VALUE) throw refusal(`${text} is greater than ${Number.MAX_VALUE}`)
  if (value < Number.MIN_VALUE) throw refusal(`${text} is less than ${Number.MIN_VALUE}; write 0 for zero`)
  return { type: 'number', kind: 'double', value, isLiteral: true }
}

function describe(expression: Expression): string {
  switch (expression.type) {
    case 'property':
      return expression.name
    case 'text':
      return `'${expression.value.replaceAll("'", "''")}'`
    case 'number':
      return String(expression.value)
    case 'truth':
      return String(expression.value).toUpperCase()
    case 'nothing':
      return 'what is negated but no number'
    default:
      return 'a condition'
  }
}
