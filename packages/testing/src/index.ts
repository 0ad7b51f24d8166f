/** (private) Simulated clock, disk and network, contract suites, golden files. */
export { SimClock } from './sim-clock.ts'
export { PowerOff, SimDisk, type SimDiskOptions, type SimHook, type SimOperation } from './sim-disk.ts'
