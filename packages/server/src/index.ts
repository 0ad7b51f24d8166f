/** The command `rocketmq`: standalone, namesrv, broker; arguments, configuration files, signals, exit codes. */
export { rocketmqProgram, runProgram } from './program.ts'
export { type ProgramIo, processIo } from './program-io.ts'
