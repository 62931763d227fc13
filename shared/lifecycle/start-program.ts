import type { Config } from '../config/config.ts'
import { type CheckFiles, ConfigError, type Program, readConfig } from '../config/config.ts'
import { createLog, type Logger } from '../observability/log.ts'
import { sourceStack } from '../observability/source-map.ts'
import { exitIfBroken } from './build.ts'
import { Releases } from './releases.ts'
import { collectOnceIdle } from './start-memory.ts'
import { trustAuthorities } from './trust.ts'

type Start = (config: Config, log: Logger, releases: Releases) => Promise<void>

/**
 * Runs a program until SIGTERM or SIGINT, then releases its resources; a second signal ends it at once. An invalid
 * environment or a failed start is reported and sets exit code 1. `checkFiles` belongs to the check of the environment.
 */
export async function startProgram(name: Program, start: Start, checkFiles?: CheckFiles): Promise<void> {
  exitIfBroken()
  const config = configOrExit(name, checkFiles)
  trustAuthorities(config.authorities)
  const log = createLog(name, config.logLevel)
  if (config.testOverrides !== null)
    log.warn({ overrides: config.testOverrides }, 'TEST_OVERRIDES replaces limits or times')
  // Node would print the error with all its properties. For a failed Redis command these include its arguments.
  process.on('uncaughtException', (error) => {
    log.fatal({ err: withSources(error) }, 'uncaught')
    process.exit(1)
  })
  // Libraries print warnings as plain text.
  for (const method of ['warn', 'error'] as const) {
    console[method] = (...words: unknown[]) => log[method](words.join(' '))
  }
  const releases = new Releases(log)
  const signalled = firstSignal()
  try {
    await start(config, log, releases)
    log.info('started')
    collectOnceIdle()
    log.info({ signal: await signalled }, 'stopping')
  } catch (error) {
    log.fatal({ err: withSources(error) }, 'could not start')
    process.exitCode = 1
  }
  await releases.dispose()
  log.info('stopped')
  // Anything that still holds the event loop, such as a library's reconnect timer, must not keep the program alive.
  setTimeout(() => process.exit(), 1_000).unref()
}

function withSources(error: unknown): unknown {
  if (error instanceof Error && error.stack !== undefined) error.stack = sourceStack(error.stack)
  return error
}

function configOrExit(name: Program, checkFiles?: CheckFiles): Config {
  try {
    return readConfig(name, undefined, checkFiles)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    console.error(error.message)
    process.exit(1)
  }
}

function firstSignal(): Promise<string> {
  return new Promise((resolve) => {
    let isSecond = false
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (isSecond) process.exit(1)
        isSecond = true
        resolve(signal)
      })
    }
  })
}
