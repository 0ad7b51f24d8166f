/** An expression as read. Its kinds are those that decide, in Java, which operands an operator takes. */
export type Expression = Operand | Condition

/** Whose value is no truth value. */
export type Operand = PropertyOperand | TextOperand | NumberOperand | NothingOperand

/** The value of a property: a text, or nothing. */
export interface PropertyOperand {
  readonly type: 'property'
  readonly name: string
}

export interface TextOperand {
  readonly type: 'text'
  readonly value: string
}

/** Java's class of a number decides how a property's text is read when the two are compared. */
export type NumberKind = 'int' | 'long' | 'double'

/** A number. `value` is a bigint only where a long isn't a safe integer. */
export interface NumberOperand {
  readonly type: 'number'
  readonly kind: NumberKind
  readonly value: number | bigint
  /** Written without minus; Java checks only those. */
  readonly isLiteral: boolean
}

/** A minus before something that isn't a number: nothing, after `condition`, if any, was evaluated. */
export interface NothingOperand {
  readonly type: 'nothing'
  readonly condition: Condition | undefined
}

/** Whose value is true, false or unknown. */
export type Condition =
  | TruthCondition
  | { readonly type: 'and' | 'or'; readonly terms: readonly Condition[] }
  | { readonly type: 'not'; readonly condition: Condition }
  /** A property in the place of a condition: never true, as properties are texts. */
  | { readonly type: 'property-as-condition'; readonly property: PropertyOperand }
  | { readonly type: 'equal'; readonly left: Expression; readonly right: Expression }
  | { readonly type: 'order'; readonly sign: OrderSign; readonly left: Operand; readonly right: Operand }
  | {
      readonly type: 'in'
      readonly property: PropertyOperand
      readonly values: readonly string[]
      readonly not: boolean
    }
  | TextCondition

export type OrderSign = '<' | '<=' | '>' | '>='

/** TRUE, FALSE or NULL. */
export interface TruthCondition {
  readonly type: 'truth'
  readonly value: boolean | null
}

export type TextTest = 'CONTAINS' | 'STARTSWITH' | 'ENDSWITH'

export interface TextCondition {
  readonly type: 'text-test'
  readonly test: TextTest
  readonly left: Expression
  readonly search: string
  readonly not: boolean
}

/** Whether an expression has a truth value. */
export function isCondition(expression: Expression): expression is Condition {
  switch (expression.type) {
    case 'property':
    case 'text':
    case 'number':
    case 'nothing':
      return false
    default:
      return true
  }
}
