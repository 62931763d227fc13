/** Steps of a publish at which a test may interrupt a worker. */
const failpoints = [
  'midRead',
  'partStored',
  'slicesAdded',
  'midListing',
  'selectionStored',
  'beforeSliceResult',
  'sliceStored',
  'slicesDone',
  'stateCompared',
  'beforeCommitting',
  'beforeManifest',
  'beforePlainFiles',
  'beforeSucceeded',
  'cancelled',
  'beforeCallback',
  'callbackSent',
] as const

const hows = ['kill', 'stop', 'block'] as const

/**
 * Where a test kills, freezes or temporarily blocks a process: a step, and which occurrence of that step, as
 * `<step>:<kill, stop or block>[:<count>]`. @throws {Error}
 */
export function parseFailpoint(text: string) {
  const [step, how, count = '1'] = text.split(':')
  const known = hows.find((one) => one === how)
  const name = failpoints.find((one) => one === step)
  if (!name || !known || !/^[1-9]\d*$/.test(count)) {
    throw new Error(`must be <step>:<kill, stop or block>[:<count>], a step one of ${failpoints.join(', ')}`)
  }
  return { name, how: known, count: Number(count) }
}

export type FailpointSetting = ReturnType<typeof parseFailpoint>
export type FailpointName = FailpointSetting['name']
