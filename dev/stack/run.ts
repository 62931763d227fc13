import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { guardLeftover } from './exit-guards.ts'
import type { ProcessOptions, RunningProcess } from './processes.ts'
import { startProcess } from './processes.ts'

/** One run's folder and everything started in it. */
export interface Run {
  directory: string
  say(line: string): void
  /** Starts a process that logs to `<name>.log` in the folder and ends with the run. Throws once the run has stopped. */
  start(options: Omit<ProcessOptions, 'logFile'>, graceMs?: number): Promise<RunningProcess>
  /** Called by `stop`, newest first. */
  onStop(release: () => Promise<unknown>): void
  /** Stops everything, waits for `unfinished` to settle, and removes the folder. */
  stop(unfinished?: readonly unknown[]): Promise<void>
}

export function openRun(parent: string, say: (line: string) => void): Run {
  const directory = join(parent, `${process.pid}-${randomBytes(4).toString('hex')}`)
  const remove = () => rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  const leftover = guardLeftover(remove)
  mkdirSync(parent, { recursive: true })
  sweepDead(parent)
  mkdirSync(directory)
  const releases: (() => Promise<unknown>)[] = []
  let stopping: Promise<void> | undefined

  async function release(unfinished: readonly unknown[]) {
    await Promise.allSettled(releases.reverse().map((release) => release()))
    await Promise.allSettled(unfinished)
    remove()
    leftover.forget()
  }

  return {
    directory,
    say(line) {
      if (!stopping) say(line)
    },
    async start(options, graceMs) {
      if (stopping) throw new Error(`${options.name}: not started, the run has stopped`)
      const server = await startProcess({ ...options, logFile: join(directory, `${options.name}.log`) })
      if (stopping) await server.stop(0)
      releases.push(() => server.stop(graceMs))
      return server
    },
    onStop(release) {
      if (stopping) void release().catch(() => undefined)
      else releases.push(release)
    },
    stop(unfinished = []) {
      stopping ??= release(unfinished)
      return stopping
    },
  }
}

/** Removes the folders left behind by runs that were killed. */
function sweepDead(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = /^(\d+)-[0-9a-f]{8}$/.exec(name)?.[1]
    if (pid && !isAlive(Number(pid))) rmSync(join(parent, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
