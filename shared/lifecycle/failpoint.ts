import type { FailpointName, FailpointSetting } from '../config/failpoint.ts'

export type Failpoint = (name: FailpointName) => void

/** Does nothing unless the setting FAILPOINT names the step, which only tests of faults do. */
export function createFailpoint(setting: FailpointSetting | null): Failpoint {
  if (setting === null) return () => {}
  let reached = 0
  return (name) => {
    if (name === setting.name && ++reached === setting.count) process.kill(process.pid, setting.signal)
  }
}
