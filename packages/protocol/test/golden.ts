import { readFileSync } from 'node:fs'

/** What all vectors have. */
export interface Vector {
  readonly name: string
}

/** A command as the golden files spell it. */
export interface GoldenCommand {
  readonly serializeType?: number
  readonly code: number
  readonly language: string
  readonly version: number
  readonly opaque: number
  readonly flag: number
  readonly remark: string | null
  readonly extFields: Record<string, string | null> | null
  readonly bodyHex?: string | null
  readonly bodyLength?: number
}

export interface GoldenFrame extends Vector {
  readonly reencode: 'exact' | 'semantic' | 'none'
  readonly hex: string
  readonly decoded: GoldenCommand
}

export interface RecordedCall extends Vector {
  readonly sender: string
  readonly hex: string
  readonly decoded: GoldenCommand
  readonly responseHex?: string
  readonly responseDecoded?: GoldenCommand
}

/** The vectors of a golden file, written by RocketMQ 5.3.3. */
export function goldenVectors<T>(file: string): readonly T[] {
  const path = new URL(`../test/golden/${file}`, import.meta.url)
  return (JSON.parse(readFileSync(path, 'utf8')) as { vectors: T[] }).vectors
}
