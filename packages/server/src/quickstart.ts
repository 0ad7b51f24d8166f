#!/usr/bin/env node
import { realDisk } from '@rocketmq-ts/runtime'
import { quickstartCommand } from './commands/quickstart.ts'
import { runProgram } from './program.ts'
import { processIo } from './program-io.ts'

const io = processIo(realDisk)
io.exit(await runProgram(quickstartCommand(io), process.argv.slice(2), io))
