import {
  type Api,
  decodeHeader,
  type ExtFields,
  encodeHeader,
  type HeaderDescriptor,
  type RemotingCommand,
  type RequestOf,
  type ResponseInput,
  responseCommand,
} from '@rocketmq-ts/protocol'
import { assert, type Logger, RocketMqError } from '@rocketmq-ts/runtime'
import type { BorrowedBytes } from './bytes.ts'
import type { Connection } from './connection.ts'

const SUCCESS = 0
const SYSTEM_ERROR = 1
const REQUEST_CODE_NOT_SUPPORTED = 3
const GO_AWAY = 1500
/** Peers up to this version don't know what to do with {@link GO_AWAY}. */
const GO_AWAY_VERSION = 475
/** What a request that is being handled costs beside its frame, roughly. */
const REQUEST_OVERHEAD_BYTES = 512

/** A request as a promise handler gets it. */
export interface RpcRequest<Header> {
  readonly header: Header
  /** Undefined when empty. Borrowed: copy what outlives the request. */
  readonly body: BorrowedBytes | undefined
  readonly command: RemotingCommand
  readonly connection: Connection
}

/** What a promise handler answers. */
export interface Reply<Header> {
  /** Default 0, success. */
  readonly code?: number
  readonly remark?: string | undefined
  readonly header?: Header
  /** More header fields, beside or instead of `header`. */
  readonly ext?: ExtFields
  /** Parts are sent one after the other without being joined, and must not change any more. */
  readonly body?: Buffer | readonly Buffer[] | undefined
}

type MaybePromise<T> = T | Promise<T>

/** Handles a request; undefined means that the handler answers by itself, or not at all. */
export type RequestHandler<A extends Api> = (
  request: RpcRequest<RequestOf<A>>,
) => MaybePromise<Reply<ResponseInput<A>> | undefined>

/**
 * Handles a request without a promise: it answers now or later through the connection, and looks by itself whether the
 * request is oneway. What it throws is answered with code 1.
 */
export type RawHandler = (command: RemotingCommand, connection: Connection) => void

type Route = (command: RemotingCommand, connection: Connection, frameBytes: number) => void

/** Finds the handler of a request by its code. One per server or client. */
export class Router {
  readonly #routes = new Map<number, Route>()
  readonly #logger: Logger | undefined
  #fallback: RawHandler | undefined
  #isGoingAway = false

  /** Failures that are no `RocketMqError` are logged to `logger` at level `error`. */
  constructor(logger?: Logger) {
    this.#logger = logger
  }

  /**
   * Registers the handler of `api`. Its answer is encoded and sent, except to a oneway request. What it throws becomes an
   * answer: the code in `details.responseCode` (default 1) with `details.remark` or the message as remark.
   */
  handle<A extends Api<HeaderDescriptor, HeaderDescriptor>>(api: A, handler: RequestHandler<A>): this {
    return this.#add(api.code, (command, connection, frameBytes) => {
      const header = decodeHeader(api.request, command.extFields) as RequestOf<A>
      const result = handler({ header, body: command.body, command, connection })
      if (!(result instanceof Promise)) {
        if (result !== undefined) sendReply(api, command, connection, result)
        return
      }
      const bytes = frameBytes + REQUEST_OVERHEAD_BYTES
      connection.addInFlight(bytes)
      result
        .then(reply => {
          if (reply !== undefined) sendReply(api, command, connection, reply)
        })
        .catch((error: unknown) => this.#sendError(command, connection, error))
        .finally(() => connection.removeInFlight(bytes))
    })
  }

  /** Registers the handler of a hot request code. */
  handleRaw(code: number, handler: RawHandler): this {
    return this.#add(code, handler)
  }

  /** Handles requests that nobody else does, instead of answering code 3. */
  handleOthers(handler: RawHandler): this {
    this.#fallback = handler
    return this
  }

  /** True when a handler is registered for `code`. */
  has(code: number): boolean {
    return this.#routes.has(code)
  }

  /**
   * From now on requests of peers that understand it are answered `GO_AWAY` (1500); older peers are served as before.
   * Source: NettyRemotingAbstract#processRequestCommand, 5.3.x
   */
  goAway(): void {
    this.#isGoingAway = true
  }

  /** Handles one request. Never throws. `frameBytes` is what it takes in memory. */
  dispatch(command: RemotingCommand, connection: Connection, frameBytes: number): void {
    try {
      if (this.#isGoingAway && command.version > GO_AWAY_VERSION) {
        connection.respond(command, responseCommand(command, GO_AWAY, 'please go away'))
        return
      }
      const route = this.#routes.get(command.code)
      if (route !== undefined) route(command, connection, frameBytes)
      else if (this.#fallback !== undefined) this.#fallback(command, connection)
      else connection.respond(command, notSupported(command))
    } catch (error) {
      this.#sendError(command, connection, error)
    }
  }

  #add(code: number, route: Route): this {
    assert(!this.#routes.has(code), `request code ${code} has one handler`)
    this.#routes.set(code, route)
    return this
  }

  #sendError(command: RemotingCommand, connection: Connection, error: unknown): void {
    if (!RocketMqError.is(error)) {
      this.#logger?.error(
        { error, requestCode: command.code, remoteAddress: connection.remoteAddress },
        'a request handler failed',
      )
    }
    connection.respond(command, errorResponse(command, error))
  }
}

/**
 * The answer to a request whose handler failed with `error`.
 * Source: NettyRemotingAbstract#processRequestCommand, 5.3.x
 */
export function errorResponse(request: RemotingCommand, error: unknown): RemotingCommand {
  if (RocketMqError.is(error)) {
    const { responseCode, remark } = error.details
    return responseCommand(
      request,
      typeof responseCode === 'number' ? responseCode : SYSTEM_ERROR,
      typeof remark === 'string' ? remark : `${error.name}: ${error.message}`,
    )
  }
  const remark = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return responseCommand(request, SYSTEM_ERROR, remark)
}

/** The answer to a request code that nobody handles. The remark's leading space is Java's. */
export function notSupported(request: RemotingCommand): RemotingCommand {
  return responseCommand(request, REQUEST_CODE_NOT_SUPPORTED, ` request type ${request.code} not supported`)
}

function sendReply<A extends Api>(
  api: A,
  command: RemotingCommand,
  connection: Connection,
  reply: Reply<ResponseInput<A>>,
): void {
  if (command.isOneway) return
  const { header, ext, body } = reply
  const headerFields = header === undefined ? undefined : encodeHeader(api.response, header as never)
  const fields = headerFields !== undefined && ext !== undefined ? { ...headerFields, ...ext } : (headerFields ?? ext)
  const single = body instanceof Buffer ? body : undefined
  const response = responseCommand(command, reply.code ?? SUCCESS, reply.remark, fields, single)
  connection.respond(command, response, single === undefined ? (body as readonly Buffer[] | undefined) : undefined)
}
