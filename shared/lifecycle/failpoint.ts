import type { FailpointName, FailpointSetting } from '../config/failpoint.ts'

export type Failpoint = (name: FailpointName) => void

/** Does nothing unless the setting FAILPOINT names the step; only fault tests set it. */
export function createFailpoint(setting: FailpointSetting | null): Failpoint {
  if (setting === null) return () => {}
  let reached = 0
  return (name) => {
    if (name !== setting.name || ++reached !== setting.count) return
    if (setting.how === 'block') block()
    else process.kill(process.pid, setting.how === 'kill' ? 'SIGKILL' : 'SIGSTOP')
  }
}

// Longer than a worker's lock on a job, so that others look for lost jobs.
const blockedMs = 25_000

/** Blocks like one long computation: no timer fires and no request is answered. */
const block = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blockedMs)
