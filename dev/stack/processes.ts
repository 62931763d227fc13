import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { constants } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { forgetGroup, guardGroup, installGuards, killGroup } from './exit-guards.ts'
import { followLog } from './follow-log.ts'

export interface ProcessOptions {
  name: string
  command: string
  args?: readonly string[]
  /** The complete environment of the child; by default that of this process. */
  env?: NodeJS.ProcessEnv
  cwd?: string
  /** The file to which the child's stdout and stderr are appended. */
  logFile: string
}

export interface RunningProcess {
  name: string
  /** Pid of the command itself: no shell is in between. */
  pid: number
  /** Never rejects. */
  exited: Promise<Exit>
  hasExited(): boolean
  log(): string
  /** The last lines of the log, indented, for an error message. */
  tail(lines?: number): string
  kill(signal: NodeJS.Signals): void
  /** Sends SIGTERM, and SIGKILL after `graceMs`; returns when the process has ended. A grace of 0 kills at once. */
  stop(graceMs?: number): Promise<void>
}

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

/** Starts a program that cannot outlive this process, however this process ends. Throws if it cannot be run at all. */
export async function startProcess(options: ProcessOptions): Promise<RunningProcess> {
  installGuards()
  const child = spawnInOwnGroup(options)
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  if (child.pid === undefined) {
    const [error] = await once(child, 'error')
    throw new Error(`${options.name}: cannot run ${options.command} (${error.code ?? error.message})`)
  }
  const pid = child.pid
  guardGroup(pid)
  // Also kills what the program forked: `mvn` and `npm` are scripts around the process that does the work.
  child.once('exit', () => {
    killGroup(pid, 'SIGKILL')
    forgetGroup(pid)
  })

  const hasExited = () => child.exitCode !== null || child.signalCode !== null
  const kill = (signal: NodeJS.Signals) => {
    if (!hasExited()) killGroup(pid, signal)
  }
  const log = followLog(options.logFile)
  return {
    name: options.name,
    pid,
    exited,
    hasExited,
    log,
    tail: (lines = 20) => lastLines(log(), lines),
    kill,
    async stop(graceMs = 2000) {
      if (graceMs > 0) {
        kill('SIGTERM')
        // Otherwise a process that a test has suspended would never handle the SIGTERM.
        kill('SIGCONT')
        await within(graceMs, exited)
      }
      kill('SIGKILL')
      await within(5000, exited)
    },
  }
}

function spawnInOwnGroup({ command, args = [], env, cwd, logFile }: ProcessOptions): ChildProcess {
  const output = openSync(logFile, 'a')
  try {
    // Own process group: the terminal's Ctrl-C reaches only this process, which decides the order of shutdown.
    return spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', output, output] })
  } finally {
    closeSync(output)
  }
}

/** "exit code 1" or "SIGKILL". */
export function describeExit({ code, signal }: Exit): string {
  return signal === null ? `exit code ${code}` : `${signal} (${128 + constants.signals[signal]})`
}

function lastLines(text: string, count: number): string {
  const lines = text.trimEnd().split('\n').slice(-count)
  return lines.map((line) => `  | ${line}`).join('\n')
}

async function within(ms: number, event: Promise<unknown>): Promise<void> {
  const timer = new AbortController()
  await Promise.race([event, sleep(ms, undefined, { signal: timer.signal }).catch(() => undefined)])
  timer.abort()
}
