/** TCP and TLS: frames in and out, request and response, back-pressure. */
export { addressText, joinAddress, type PeerAddresses, splitAddress } from './address.ts'
export { type BorrowedBytes, ownBytes } from './bytes.ts'
export { Connection } from './connection.ts'
export type { ConnectionLimits } from './connection-context.ts'
export { type ConnectionEvent, type ConnectionState, nextConnectionState } from './connection-state.ts'
export { FrameDecoder } from './frame-decoder.ts'
export { defaultLimits, type LimitOptions } from './options.ts'
export { PendingCall } from './pending-call.ts'
export {
  errorResponse,
  notSupported,
  type RawHandler,
  type Reply,
  type RequestHandler,
  Router,
  type RpcRequest,
} from './router.ts'
export {
  type CallOptions,
  type CallResult,
  type RequestHook,
  RpcClient,
  type RpcClientOptions,
  responseError,
} from './rpc-client.ts'
export { RpcServer, type RpcServerOptions } from './rpc-server.ts'
export type { ClientTlsOptions, ServerTlsOptions, TlsFiles } from './tls-options.ts'
export { readTlsProperties, type TlsSettings } from './tls-properties.ts'
