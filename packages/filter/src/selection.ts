import { compile, type Judge, type PropertySource, type Verdict, verdict } from './evaluate.ts'
import { parseSelection } from './parser.ts'

/** A compiled SQL92 expression. */
export class Selection {
  readonly expression: string
  readonly #judge: Judge

  /** Use {@link compileSelection}. */
  constructor(expression: string, judge: Judge) {
    this.expression = expression
    this.#judge = judge
  }

  /** Whether a message with these properties is selected. Never throws. */
  matches(source: PropertySource): boolean {
    return this.#judge(source) === verdict.yes
  }

  /** The verdict in full. */
  judge(source: PropertySource): Verdict {
    return this.#judge(source)
  }
}

/**
 * Compiles an SQL92 expression such as `amount > 10 AND region IN ('eu', 'us')`. What is accepted and selected is what
 * RocketMQ's evaluator accepts and selects. Throws `INVALID_ARGUMENT`, saying what is wrong and where.
 * Source: SqlFilter#compile, 5.3.x
 */
export function compileSelection(expression: string): Selection {
  return new Selection(expression, compile(parseSelection(expression)))
}
