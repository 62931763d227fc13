/** Steps of a publish at which a test may stop a worker. */
export const failpoints = [
  'midRead',
  'partStored',
  'beforeCommitting',
  'beforeManifest',
  'beforePlainFiles',
  'beforeSucceeded',
] as const

export type FailpointName = (typeof failpoints)[number]
export type Failpoint = (name: FailpointName) => void

/** Where a process is to be killed or frozen, and the how many-th time it gets there. */
export interface FailpointSetting {
  name: FailpointName
  signal: 'SIGKILL' | 'SIGSTOP'
  count: number
}

/** Does nothing unless the setting FAILPOINT names the step, which only tests of faults do. */
export function createFailpoint(setting: FailpointSetting | null): Failpoint {
  if (setting === null) return () => {}
  let reached = 0
  return (name) => {
    if (name === setting.name && ++reached === setting.count) process.kill(process.pid, setting.signal)
  }
}
