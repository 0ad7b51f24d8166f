#!/usr/bin/env node
import { realDisk } from '@rocketmq-ts/runtime'
import { brokerCommand } from './commands/broker.ts'
import { runProgram } from './program.ts'
import { processIo } from './program-io.ts'

const io = processIo(realDisk)
io.exit(await runProgram(brokerCommand(io, 'mqbroker'), process.argv.slice(2), io))
