/** (private) Simulated clock, disk and network, contract suites, golden files. */
export { ManualClock } from './manual-clock.ts'
export { SimClock } from './sim-clock.ts'
export { PowerOff, SimDisk, type SimDiskOptions, type SimHook, type SimOperation } from './sim-disk.ts'
