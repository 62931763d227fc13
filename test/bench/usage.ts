import { readFileSync } from 'node:fs'

// Linux reports CPU time in ticks, 100 per second on every common platform.
const ticksPerSecond = 100

/** CPU time that a process has used so far, user and system, in seconds. */
export const cpuSeconds = (pid: number | null): number => secondsOf(pid ?? 'none', [11, 12])

/** CPU time of all processes that this one started and that have ended, with those that they started. */
export const childrenCpuSeconds = (): number => secondsOf('self', [13, 14])

function secondsOf(pid: number | 'self' | 'none', [user, system]: [number, number]): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The program name may contain anything; only numbers follow its closing parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[user]) + Number(fields[system])) / ticksPerSecond
}

/** Peak resident memory of a process, in megabytes (10^6 bytes). */
export function peakMegabytes(pid: number | 'self'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return (Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1_024) / 1_000_000
}

/** Starts counting the CPU time of named groups of processes. @returns a function that reports the time used since. */
export function countCpu<Name extends string>(pids: Record<Name, readonly (number | null)[]>) {
  const names = Object.keys(pids) as Name[]
  const used = (name: Name) => pids[name].reduce<number>((sum, pid) => sum + cpuSeconds(pid), 0)
  const before = Object.fromEntries(names.map((name) => [name, used(name)])) as Record<Name, number>
  return () => Object.fromEntries(names.map((name) => [name, used(name) - before[name]])) as Record<Name, number>
}
