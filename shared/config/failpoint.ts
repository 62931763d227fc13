/** Steps of a publish at which a test may stop a worker. */
export const failpoints = [
  'midRead',
  'partStored',
  'slicesAdded',
  'beforeSliceResult',
  'sliceStored',
  'slicesDone',
  'beforeCommitting',
  'beforeManifest',
  'beforePlainFiles',
  'beforeSucceeded',
] as const

export type FailpointName = (typeof failpoints)[number]

/** Where a process is to be killed or frozen, and the how many-th time it gets there. */
export interface FailpointSetting {
  name: FailpointName
  signal: 'SIGKILL' | 'SIGSTOP'
  count: number
}

/** `<step>:<kill or stop>[:<count>]`. @throws {Error} */
export function parseFailpoint(text: string): FailpointSetting {
  const [step, how, count = '1'] = text.split(':')
  const name = failpoints.find((known) => known === step)
  if (!name || !/^(kill|stop)$/.test(how ?? '') || !/^[1-9]\d*$/.test(count)) {
    throw new Error(`must be <step>:<kill or stop>[:<count>], a step one of ${failpoints.join(', ')}`)
  }
  return { name, signal: how === 'kill' ? 'SIGKILL' : 'SIGSTOP', count: Number(count) }
}
