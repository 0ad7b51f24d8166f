/** For sibling packages only; no promise of stability. */
export { ClientInstance } from './client-instance.ts'
export { type Compressor, createCompressor, decompressBody } from './compression/compression.ts'
export * from './index.ts'
export { type ClientPorts, type ResolvedClientOptions, resolveClientOptions } from './options.ts'
export { createProducerWith } from './producer/producer.ts'
