import type { Disk } from '@rocketmq-ts/runtime'

/** Where the PEM files of one side are. */
export interface TlsFiles {
  /** Reads the files. */
  disk: Disk
  keyPath?: string | undefined
  /** Of an encrypted key. */
  keyPassword?: string | undefined
  /** Certificate, followed by its chain. */
  certPath?: string | undefined
  /** Certificates of the authorities that the other side is checked against. */
  trustCertPath?: string | undefined
  /** How often the files are looked at for changes. Default 10,000 ms; 0: never. */
  reloadPeriodMs?: number | undefined
}

/** TLS at a server. Java: `tls.server.*` (the mode: `tls.server.mode`). */
export interface ServerTlsOptions extends Partial<TlsFiles> {
  /**
   * `disabled`: a TLS hello closes the connection. `permissive` (default): plain and TLS on one port. `enforcing`: plain
   * connections are closed.
   */
  mode?: 'disabled' | 'permissive' | 'enforcing' | undefined
  /** Without a certificate: make one that signs itself, when the first TLS hello comes. Default true, as Java's. */
  testMode?: boolean | undefined
  /** Ask clients for a certificate. Default `none`. */
  needClientAuth?: 'none' | 'optional' | 'require' | undefined
  /** Check the certificates that clients show against `trustCertPath`. Default false. */
  authClient?: boolean | undefined
}

/** TLS at a client. Java: `tls.client.*` (whether at all: `tls.enable`). */
export interface ClientTlsOptions extends Partial<TlsFiles> {
  /** Check the server's certificate, against `trustCertPath` or the authorities that Node knows. Default false. */
  authServer?: boolean | undefined
  /** With `authServer`, also check that the certificate is for the host called. Default false, as Java's. */
  checkHostName?: boolean | undefined
}
