#!/usr/bin/env node
import './require-node.ts'
import { readEnvironment } from './environment.ts'
import { exitCodes } from './exit.ts'
import { run } from './program.ts'

const { stdin, stdout, stderr } = process
const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM']) {
  process.on(name, () => {
    if (stop.signal.aborted) process.exit(exitCodes.interrupted)
    stop.abort()
  })
}
// A reader that has seen enough, such as `head`, closes the pipe.
for (const stream of [stdout, stderr]) {
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return
    if (stream === stdout) stderr.write(`error: the result cannot be written (${code})\n`)
    process.exitCode = exitCodes.unforeseen
  })
}
const context = { environment: readEnvironment(), stdin, stdout, stderr, signal: stop.signal }
process.exitCode = (await run(process.argv.slice(2), context)) || process.exitCode
if (stop.signal.aborted) process.exit() // A connection that nothing answers would keep the process alive.
