/** For sibling packages only; no promise of stability. */
export { CallTable } from './call-table.ts'
export * from './index.ts'
export { OutputBuffer, type OutputSink, PiecePool } from './output-buffer.ts'
export {
  detectProxyHeader,
  type ProxyDetection,
  type ProxyEndpoint,
  type ProxyHeader,
  proxyAttributes,
} from './proxy-protocol.ts'
export { type SelfSignedCertificate, selfSignedCertificate } from './self-signed.ts'
