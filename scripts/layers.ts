/**
 * The dependency rule, as data: which package may import which. An import points down; sideways only where it is listed.
 * Think hard before adding an arrow: every one of these lines is a promise about what can be understood alone.
 */
export const allowedImports: Record<string, readonly string[]> = {
  // ground
  runtime: [],
  model: ['runtime'],
  // contracts: no I/O, no clock
  protocol: ['runtime', 'model'],
  filter: ['runtime', 'model'],
  // engines
  store: ['runtime', 'model'],
  remoting: ['runtime', 'model', 'protocol'],
  // user APIs
  client: ['runtime', 'model', 'protocol', 'remoting'],
  // services: never sideways
  namesrv: ['runtime', 'model', 'protocol', 'remoting'],
  broker: ['runtime', 'model', 'protocol', 'filter', 'store', 'remoting'],
  // programs; `server` starts what `embedded` composes
  embedded: ['runtime', 'model', 'protocol', 'filter', 'store', 'remoting', 'namesrv', 'broker'],
  server: ['runtime', 'model', 'protocol', 'filter', 'store', 'remoting', 'namesrv', 'broker', 'embedded', 'client'],
  // tests alone import it
  testing: ['runtime', 'model', 'protocol', 'store', 'remoting'],
}

/** Node's modules that reach the outside; only these packages may import them. */
export const outsideModules: Record<string, readonly string[]> = {
  'node:fs': ['runtime'],
  'node:fs/promises': ['runtime'],
  'node:net': ['runtime'],
  'node:dns': ['runtime'],
  'node:dns/promises': ['runtime'],
  'node:timers': ['runtime'],
  'node:timers/promises': ['runtime'],
  'node:child_process': ['runtime'],
  // TLS is layered on a socket that runtime opened
  'node:tls': ['runtime', 'remoting'],
}

/**
 * Globals that read the clock or randomness, or start timers; only `runtime` may use them. A name followed by typed
 * parameters is the definition of a method, not a call.
 */
export const outsideGlobals: readonly RegExp[] = [
  /\bDate\.now\s*\(/,
  /\bnew Date\(\s*\)/,
  /\bMath\.random\s*\(/,
  /(?<![.\w])setTimeout\s*\((?!\w+\??:)/,
  /(?<![.\w])setInterval\s*\((?!\w+\??:)/,
  /(?<![.\w])setImmediate\s*\((?!\w+\??:)/,
  /\bperformance\.now\s*\(/,
  /\bprocess\.hrtime\b/,
]
