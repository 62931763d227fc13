import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { RunningProcess } from '../../dev/stack/processes.ts'
import type { Lane } from './lanes.ts'
import type { Measured } from './results.ts'
import type { Setting } from './setting.ts'
import { cpuSeconds } from './usage.ts'

/** How long a program is idle before its memory counts. */
const idleMs = 10_000

/** From the start of a program to its ready line, and what it takes when it then does nothing. */
export const startLanes: Lane[] = [
  {
    name: 'start-api',
    unit: 'starts',
    what: 'an API until it is ready, and its memory after ten idle seconds',
    measure: by(async ({ ours }) => (await ours.service.startApi()).api),
  },
  {
    name: 'start-worker',
    unit: 'starts',
    what: 'the same for a worker',
    measure: by(({ ours }) => ours.service.startWorker()),
  },
]

function by(start: (setting: Setting) => Promise<RunningProcess>) {
  return async (setting: Setting): Promise<Measured> => {
    // The first start fills the compile cache.
    await (await start(setting)).stop(20_000)
    const started = performance.now()
    const program = await start(setting)
    const seconds = (performance.now() - started) / 1_000
    const clientCpu = cpuSeconds(program.pid)
    await delay(idleMs)
    const peakMB = residentMegabytes(program.pid)
    await program.stop(20_000)
    return { statements: 1, seconds, clientCpu, peakMB }
  }
}

function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return (Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1_024) / 1_000_000
}
