import { createRequire } from 'node:module'
import type Pino from 'pino'
import type { Logger } from './logger.ts'

/** Where and how much {@link createLogger} writes. */
export interface LoggerOptions {
  /** Lines below this level are dropped. Default `info`. */
  level?: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** `stdout`, `stderr` (default), or the path of a file, whose directories are made. */
  destination?: string
  /** Added to each line as `name`. */
  name?: string
}

/** A logger that owns its destination. */
export interface OwnedLogger extends Logger {
  /** Closes the file, if any. Lines written afterwards are lost. */
  close(): void
}

/** A logger on pino: one JSON object a line, written before the call returns. */
export function createLogger({ level = 'info', destination = 'stderr', name }: LoggerOptions = {}): OwnedLogger {
  // Loaded when first needed: most who import this package log nothing, and it takes as long as a small broker's start.
  const pino: typeof Pino = createRequire(import.meta.url)('pino')
  const target = { stdout: 1, stderr: 2 }[destination] ?? destination
  const stream = pino.destination({ dest: target, sync: true, mkdir: true })
  const base = name === undefined ? {} : { name }
  const { err } = pino.stdSerializers
  const logger = pino({ level, base, timestamp: pino.stdTimeFunctions.isoTime, serializers: { error: err } }, stream)
  return Object.assign(adapt(logger), { close: () => (typeof target === 'string' ? stream.end() : stream.flushSync()) })
}

function adapt(logger: Pino.Logger): Logger {
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    child: fields => adapt(logger.child(fields)),
  }
}
