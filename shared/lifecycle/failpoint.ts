import type { FailpointName, FailpointSetting } from '../config/failpoint.ts'

export type Failpoint = (name: FailpointName) => void

/** Does nothing unless the setting FAILPOINT names the step, which only tests of faults do. */
export function createFailpoint(setting: FailpointSetting | null): Failpoint {
  if (setting === null) return () => {}
  let reached = 0
  return (name) => {
    if (name !== setting.name || ++reached !== setting.count) return
    if (setting.how === 'block') block()
    else process.kill(process.pid, setting.how === 'kill' ? 'SIGKILL' : 'SIGSTOP')
  }
}

// Longer than a worker holds a job, and then others look for jobs that were lost.
const blockedMs = 25_000

/** As one computation that takes so long would: no timer and no answer gets a turn. */
const block = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blockedMs)
