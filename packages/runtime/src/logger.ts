/**
 * Five methods shaped like pino's: a constant message, and fields beside it. Never bodies, keys' values or credentials.
 * `debug`: for a developer looking at one component. `info`: at most every few seconds in normal work. `warn`: something
 * is off and the program copes. `error`: an operator must act.
 */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /** A logger that adds `fields` to each line. */
  child(fields: object): Logger
}

export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
}
