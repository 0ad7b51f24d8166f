/**
 * An object of which at least one key is itself an object, which fastjson writes for maps keyed by queues. Its pairs are in
 * the order of the text; a key that occurs twice is there twice.
 */
export class JsonMap {
  readonly $pairs: readonly (readonly [unknown, unknown])[]

  constructor(pairs: readonly (readonly [unknown, unknown])[]) {
    this.$pairs = pairs
  }
}
