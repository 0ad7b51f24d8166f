import { decodeBinaryExt, decodeJsonExt, type ExtFields } from './ext-fields.ts'
import { CURRENT_VERSION } from './mq-version.ts'

export type { ExtFields }

/** The header form of a frame: 0 is JSON, 1 is ROCKETMQ (binary). */
export type SerializeType = 0 | 1

export const serializeTypes = { json: 0, rocketmq: 1 } as const

/** Bits of {@link RemotingCommand.flag}. */
export const commandFlag = { response: 1, oneway: 2 } as const

/**
 * One request or response as it travels. All fields are always set, in this order, so that the engine sees one shape.
 *
 * Of a decoded command, `body` is a view into the frame: borrowed, valid during the turn in which it was handed out.
 * The same holds for the ext fields until they are first read: most hot requests are decoded straight from the bytes, so
 * the map is made on demand.
 */
export class RemotingCommand {
  /** Request or response code. */
  code: number
  /** Upper-case name of the sender's language; `OTHER` when unknown to us. */
  language: string
  /** Version ordinal of the sender. */
  version: number
  /** Number by which the sender matches the response; int32. */
  opaque: number
  /** See {@link commandFlag}. */
  flag: number
  /** Text for people, mostly of an error. */
  remark: string | undefined
  /** Undefined when empty: the wire can't tell the two apart. */
  body: Buffer | undefined
  serializeType: SerializeType
  /** The undecoded ext section, while nobody has asked for the map. For the codecs of this package only. */
  rawExt: Buffer | undefined
  rawExtStart: number
  rawExtEnd: number
  private ownExtFields: ExtFields | undefined

  constructor(
    code: number,
    language: string,
    version: number,
    opaque: number,
    flag: number,
    remark: string | undefined,
    extFields: ExtFields | undefined,
    body: Buffer | undefined,
    serializeType: SerializeType,
  ) {
    this.code = code
    this.language = language
    this.version = version
    this.opaque = opaque
    this.flag = flag
    this.remark = remark
    this.body = body
    this.serializeType = serializeType
    this.rawExt = undefined
    this.rawExtStart = 0
    this.rawExtEnd = 0
    this.ownExtFields = extFields
  }

  get isResponse(): boolean {
    return (this.flag & commandFlag.response) !== 0
  }

  get isOneway(): boolean {
    return (this.flag & commandFlag.oneway) !== 0
  }

  /** Header fields and whatever hooks have added. Reading them may throw `HEADER_INVALID` for a decoded command. */
  get extFields(): ExtFields | undefined {
    const source = this.rawExt
    if (source !== undefined) {
      this.rawExt = undefined
      this.ownExtFields =
        this.serializeType === serializeTypes.json
          ? decodeJsonExt(source, this.rawExtStart, this.rawExtEnd)
          : decodeBinaryExt(source, this.rawExtStart, this.rawExtEnd)
    }
    return this.ownExtFields
  }

  set extFields(extFields: ExtFields | undefined) {
    this.rawExt = undefined
    this.ownExtFields = extFields
  }
}

/** What may differ from our defaults in a new command. */
export interface CommandOptions {
  /** Default `JAVA`, which every peer knows; it also decides how a few answers are written. */
  language?: string
  /** Default {@link CURRENT_VERSION}. */
  version?: number
  /** Default 0 (JSON). */
  serializeType?: SerializeType
}

/**
 * A request with opaque 0; the connection that sends it numbers it. `extFields` defaults to `{}` rather than nothing,
 * because many Java handlers read the map without looking whether there is one.
 */
export function requestCommand(
  code: number,
  extFields: ExtFields = {},
  body?: Buffer,
  options: CommandOptions = {},
): RemotingCommand {
  return new RemotingCommand(
    code,
    options.language ?? 'JAVA',
    options.version ?? CURRENT_VERSION,
    0,
    0,
    undefined,
    extFields,
    body,
    options.serializeType ?? serializeTypes.json,
  )
}

/**
 * The response to `request`: its opaque, the response bit. JSON unless `options.serializeType` says otherwise; a Java
 * server doesn't mirror the form of the request either. Pass `request.serializeType` to mirror.
 */
export function responseCommand(
  request: RemotingCommand,
  code: number,
  remark?: string,
  extFields?: ExtFields,
  body?: Buffer,
  options: CommandOptions = {},
): RemotingCommand {
  return new RemotingCommand(
    code,
    options.language ?? 'JAVA',
    options.version ?? CURRENT_VERSION,
    request.opaque,
    commandFlag.response,
    remark,
    extFields,
    body,
    options.serializeType ?? serializeTypes.json,
  )
}
