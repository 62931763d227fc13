import { writeSync } from 'node:fs'
import type { FailpointName, FailpointSetting } from '../config/failpoint.ts'

export type Failpoint = (name: FailpointName) => void

/** Does nothing unless a fault test names the step in `TEST_OVERRIDES`. */
export function createFailpoint(setting: FailpointSetting | null, lockSeconds: number): Failpoint {
  if (setting === null) return () => {}
  let reached = 0
  return (name) => {
    if (name !== setting.name || ++reached !== setting.count) return
    if (setting.how === 'block') block(blockedLocks * lockSeconds * 1_000)
    else process.kill(process.pid, setting.how === 'kill' ? 'SIGKILL' : 'SIGSTOP')
  }
}

// Longer than a worker's lock on a job and a stalled check, so that others take the job.
const blockedLocks = 3

/** Blocks like one long computation: no timer fires and no request is answered. It tells so before, while it still can. */
function block(ms: number) {
  writeSync(process.stderr.fd, `blocked for ${ms} ms\n`)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
