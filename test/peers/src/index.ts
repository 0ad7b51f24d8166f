/** The peers of the interop suite and the benchmark: real Java processes and our own, started on loopback and ended by pid. */
export { ask } from './ask.ts'
export {
  type CommandResult,
  type JavaOptions,
  javaClassPath,
  javaMissing,
  javaMqadmin,
  type Started,
  startJava,
  startJavaBroker,
  startJavaNamesrv,
  temporaryDirectory,
} from './java.ts'
export { type CpuAndMemory, ManagedProcess } from './managed-process.ts'
export { goMissing, startAliOnsPeer, startGoPeer } from './other-peers.ts'
export { type OurStandalone, startOurStandalone, startOurs } from './our.ts'
export { freePort } from './ports.ts'
export { type Properties, propertiesText } from './properties.ts'
