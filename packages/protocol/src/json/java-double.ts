/** A number that Java holds as a double, and therefore always writes with a fraction: `0.0`, `1.5`, `1.0E7`. */
export class JavaDouble {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }
}

/** `Double.toString` of Java; `null` for what JSON can't say. */
export function javaDoubleText(value: number): string {
  if (!Number.isFinite(value)) return 'null'
  const magnitude = Math.abs(value)
  if (magnitude === 0 || (magnitude >= 1e-3 && magnitude < 1e7)) {
    const text = Object.is(value, -0) ? '-0' : String(value)
    return text.includes('.') ? text : `${text}.0`
  }
  const [mantissa, exponent] = value.toExponential().split('e') as [string, string]
  return `${mantissa.includes('.') ? mantissa : `${mantissa}.0`}E${Number(exponent)}`
}
