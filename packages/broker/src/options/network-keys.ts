import { flag, int, long, text } from './definition.ts'
import { cpuCount } from './host-defaults.ts'

/** The settings of the listening socket and of outgoing connections: Java's `NettyServerConfig` and `NettyClientConfig`. */
export const networkKeys = {
  bindAddress: text('bindAddress', '0.0.0.0', 'Address to listen on.'),
  serverWorkerThreads: int('serverWorkerThreads', 8, 'I/O codec threads.', { isInert: true }),
  serverCallbackExecutorThreads: int(
    'serverCallbackExecutorThreads',
    0,
    'Threads of answers and processors without a pool; 0 means 4.',
    { isInert: true },
  ),
  serverSelectorThreads: int('serverSelectorThreads', 3, 'Selector threads.', { isInert: true }),
  serverOnewaySemaphoreValue: int('serverOnewaySemaphoreValue', 256, 'One-way requests in flight to peers.', {
    isInert: true,
  }),
  serverAsyncSemaphoreValue: int('serverAsyncSemaphoreValue', 64, 'Asynchronous requests in flight to peers.', {
    isInert: true,
  }),
  serverChannelMaxIdleSeconds: int(
    'serverChannelMaxIdleTimeSeconds',
    120,
    'Idle seconds before a connection is closed.',
    { min: 0 },
  ),
  serverSocketSndBufSize: int('serverSocketSndBufSize', 0, '0: system default.', { isInert: true }),
  serverSocketRcvBufSize: int('serverSocketRcvBufSize', 0, '0: system default.', { isInert: true }),
  writeBufferHighWaterMark: int('writeBufferHighWaterMark', 0, '0: library default.', { isInert: true }),
  writeBufferLowWaterMark: int('writeBufferLowWaterMark', 0, '0: library default.', { isInert: true }),
  serverSocketBacklog: int('serverSocketBacklog', 1024, 'Accept queue.', { min: 1, isInert: true }),
  serverNettyWorkerGroupEnable: flag('serverNettyWorkerGroupEnable', true, 'Separate codec threads.', {
    isInert: true,
  }),
  serverPooledByteBufAllocatorEnable: flag('serverPooledByteBufAllocatorEnable', true, 'Pooled buffers.', {
    isInert: true,
  }),
  enableShutdownGracefully: flag('enableShutdownGracefully', false, 'Send clients away before stopping.'),
  shutdownWaitTimeSeconds: int('shutdownWaitTimeSeconds', 30, 'How long they get for it.', { min: 0 }),
  useEpollNativeSelector: flag('useEpollNativeSelector', false, 'Native epoll.', { isInert: true }),
  clientWorkerThreads: int('clientWorkerThreads', 4, 'Codec threads.', { isInert: true }),
  clientCallbackExecutorThreads: int('clientCallbackExecutorThreads', cpuCount, 'CPUs (at least 1).', {
    isInert: true,
  }),
  clientOnewaySemaphoreValue: int('clientOnewaySemaphoreValue', 65_535, 'One-way requests in flight.', {
    isInert: true,
  }),
  clientAsyncSemaphoreValue: int('clientAsyncSemaphoreValue', 65_535, 'Asynchronous requests in flight.', {
    isInert: true,
  }),
  connectTimeoutMs: int('connectTimeoutMillis', 3000, 'Connect time-out.', { min: 1, isInert: true }),
  channelNotActiveInterval: long('channelNotActiveInterval', 60_000, 'Unused in practice.', { isInert: true }),
  isScanAvailableNameSrv: flag('isScanAvailableNameSrv', true, 'Probe name servers (key scanAvailableNameSrv).', {
    isInert: true,
  }),
  clientChannelMaxIdleSeconds: int('clientChannelMaxIdleTimeSeconds', 120, 'Idle seconds before closing.', {
    isInert: true,
  }),
  clientSocketSndBufSize: int('clientSocketSndBufSize', 0, '0: system default.', { isInert: true }),
  clientSocketRcvBufSize: int('clientSocketRcvBufSize', 0, '0: system default.', { isInert: true }),
  clientPooledByteBufAllocatorEnable: flag('clientPooledByteBufAllocatorEnable', false, 'Pooled buffers.', {
    isInert: true,
  }),
  clientCloseSocketIfTimeout: flag('clientCloseSocketIfTimeout', true, 'Close the connection on a time-out.', {
    isInert: true,
  }),
  useTls: flag('useTLS', false, 'TLS.'),
  socksProxyConfig: text('socksProxyConfig', '{}', 'JSON: CIDR to proxy address and credentials.', { isInert: true }),
  disableCallbackExecutor: flag('disableCallbackExecutor', false, 'Run callbacks on I/O threads.', { isInert: true }),
  disableNettyWorkerGroup: flag('disableNettyWorkerGroup', false, 'No separate codec threads.', { isInert: true }),
  maxReconnectIntervalTimeSeconds: long('maxReconnectIntervalTimeSeconds', 60, 'Unused.', { isInert: true }),
  enableReconnectForGoAway: flag('enableReconnectForGoAway', true, 'Reconnect and resend on go-away (1500).', {
    isInert: true,
  }),
}
