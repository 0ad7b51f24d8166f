#!/usr/bin/env node
import { realDisk } from '@rocketmq-ts/runtime'
import { namesrvCommand } from './commands/namesrv.ts'
import { runProgram } from './program.ts'
import { processIo } from './program-io.ts'

const io = processIo(realDisk)
io.exit(await runProgram(namesrvCommand(io, 'mqnamesrv'), process.argv.slice(2), io))
