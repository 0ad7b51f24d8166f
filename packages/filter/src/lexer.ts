import { RocketMqError } from '@rocketmq-ts/runtime'

/** What a piece of an expression is; words and signs stand for themselves. */
export type TokenKind = 'end' | 'name' | 'text' | 'integer' | 'decimal' | Keyword | Sign

const keywords = [
  'NOT',
  'AND',
  'OR',
  'BETWEEN',
  'IN',
  'TRUE',
  'FALSE',
  'NULL',
  'IS',
  'CONTAINS',
  'STARTSWITH',
  'ENDSWITH',
] as const
type Keyword = (typeof keywords)[number]
type Sign = '=' | '<>' | '>' | '>=' | '<' | '<=' | '(' | ')' | ',' | '+' | '-'

/** One piece of an expression. */
export interface Token {
  readonly kind: TokenKind
  /** As written; of a text its content, without quotes. */
  readonly text: string
  /** Where it begins. */
  readonly at: number
}

const keywordSet: ReadonlySet<string> = new Set(keywords)

const gap = /(?:[ \t\n\r\f]+|--[^\n\r]*(?:\r\n|\n|\r)|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)+/y
const name = /[A-Za-z_$][A-Za-z0-9_$]*/y
const decimal = /(?:[0-9]+\.[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)/y
const integer = /(?:0|[1-9][0-9]*[lL]?)/y
const text = /'(?:''|[^'])*'/y
const sign = /<>|<=|>=|[=<>(),+-]/y

/**
 * Cuts an expression into tokens, one at a time: what lies behind the last one that is asked for is never looked at, as in
 * Java. A line comment without a line's end is no comment but two minus signs; a zero ends a number ("007" is three).
 * Source: SelectorParserTokenManager, 5.3.x
 */
export class Lexer {
  readonly #expression: string
  #at = 0

  constructor(expression: string) {
    this.#expression = expression
  }

  /** The next token; `end` again and again at the end. Throws `INVALID_ARGUMENT` where no token can begin. */
  next(): Token {
    this.#take(gap)
    const at = this.#at
    if (at >= this.#expression.length) return { kind: 'end', text: '', at }
    const word = this.#take(name)
    if (word !== undefined) {
      const upper = word.toUpperCase()
      return { kind: keywordSet.has(upper) ? (upper as Keyword) : 'name', text: word, at }
    }
    const fraction = this.#take(decimal)
    if (fraction !== undefined) return { kind: 'decimal', text: fraction, at }
    const whole = this.#take(integer)
    if (whole !== undefined) return { kind: 'integer', text: whole, at }
    const quoted = this.#take(text)
    if (quoted !== undefined) return { kind: 'text', text: quoted.slice(1, -1).replaceAll("''", "'"), at }
    const mark = this.#take(sign)
    if (mark !== undefined) return { kind: mark as Sign, text: mark, at }
    throw refusal(unreadable(this.#expression, at))
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#expression)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }
}

/** The error of an expression that can't be used. */
export function refusal(message: string): RocketMqError {
  return new RocketMqError('INVALID_ARGUMENT', message)
}

function unreadable(expression: string, at: number): string {
  const character = String.fromCodePoint(expression.codePointAt(at) as number)
  if (character === "'") return `the text that begins at column ${at + 1} has no closing quote`
  return `${JSON.stringify(character)} at column ${at + 1} begins nothing that an expression may hold`
}
