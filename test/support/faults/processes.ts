import { execFile } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { RunningProcess } from '../../../dev/stack/processes.ts'

const pauseMs = 100

/** Polls until `is` returns true. @throws Error naming `what` after `limitMs`. */
export async function until(what: string, is: () => boolean | Promise<boolean>, limitMs = 60_000): Promise<void> {
  for (const deadline = Date.now() + limitMs; !(await is()); await delay(pauseMs)) {
    if (Date.now() > deadline) throw new Error(`${what}: not within ${limitMs} ms`)
  }
}

/** Waits until a worker has logged the end of its run of a job, whatever the outcome. */
export async function untilRunEnded(worker: RunningProcess, jobId: string): Promise<void> {
  const hasEnded = () => logOf(worker, jobId).some((line) => /"(job finished|slice built|run failed)"/.test(line))
  await until('the run has ended', hasEnded).catch((error) => {
    throw new Error(`${error.message}:\n${worker.tail(40)}`)
  })
}

/** Waits until a process has stopped itself with SIGSTOP. */
export const untilFrozen = (one: RunningProcess): Promise<void> =>
  until(`${one.name} is frozen`, async () => {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'state=', '-p', String(one.pid)])
    return stdout.trim().startsWith('T')
  })

/** Whether a worker started a run of a job. A mention alone is not enough: others log lost jobs too. */
export const hasBegun = (worker: RunningProcess, jobId: string): boolean =>
  logOf(worker, jobId).some((line) => line.includes('"job started"'))

/** The log lines of a program about a job. */
export const logOf = (one: RunningProcess, jobId: string): string[] =>
  one
    .log()
    .split('\n')
    .filter((line) => line.includes(jobId))
