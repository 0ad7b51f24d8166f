import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

/** A vector of a golden file; the other names depend on the file. */
export interface Vector {
  readonly name: string
  readonly kind?: string
}

/** The vectors of `test/golden/<file>`, of one kind where given; never none. */
export function goldenVectors<V extends Vector>(file: string, kind?: string): V[] {
  const path = new URL(`../test/golden/${file}`, import.meta.url)
  const { vectors } = JSON.parse(readFileSync(path, 'utf8')) as { vectors: V[] }
  const chosen = kind === undefined ? vectors : vectors.filter(vector => vector.kind === kind)
  assert.ok(chosen.length > 0, `${file} has vectors of kind ${kind}`)
  return chosen
}

/** Fails unless every kind of the file is among `kinds`, so that no vector goes untested. */
export function assertKinds(file: string, kinds: readonly string[]): void {
  const found = new Set(goldenVectors(file).map(({ kind }) => kind))
  assert.deepEqual([...found].sort(), [...kinds].sort())
}
