/** The parts of a client id. */
export interface ClientIdParts {
  /** Text of the local address. */
  readonly ip: string
  /** `pid#nanoTime` unless the user chose a name. */
  readonly instanceName: string
  readonly unitName?: string
  /** Set by consumers of a stream. */
  readonly stream?: boolean
}

/** `ip@instance`, then `@unit` and `@STREAM` where set. Source: ClientConfig#buildMQClientId, 5.3.x. */
export function buildClientId(parts: ClientIdParts): string {
  let id = `${parts.ip}@${parts.instanceName}`
  if (parts.unitName !== undefined && parts.unitName.trim() !== '') id += `@${parts.unitName}`
  if (parts.stream === true) id += '@STREAM'
  return id
}
