#!/usr/bin/env node
import { realDisk } from '@rocketmq-ts/runtime'
import { rocketmqProgram, runProgram } from './program.ts'
import { processIo } from './program-io.ts'

const io = processIo(realDisk)
io.exit(await runProgram(rocketmqProgram(io), process.argv.slice(2), io))
