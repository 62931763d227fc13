import { readFileSync } from 'node:fs'

// What Linux tells of a process, in a unit that has been the same on every machine for decades.
const ticksPerSecond = 100

/** Processor time that a process has used so far, its own and the kernel's for it, in seconds. */
export function cpuSeconds(pid: number | null): number {
  const stat = readFileSync(`/proc/${pid ?? 'none'}/stat`, 'utf8')
  // The program's name may hold anything; what follows its closing bracket are numbers.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** The most resident memory that a process ever had, in megabytes (10^6 bytes). */
export function peakMegabytes(pid: number | 'self'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return (Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1_024) / 1_000_000
}

/** Starts to count the processor time of some processes by name. @returns what tells how much they have used since. */
export function countCpu<Name extends string>(pids: Record<Name, readonly (number | null)[]>) {
  const names = Object.keys(pids) as Name[]
  const used = (name: Name) => pids[name].reduce<number>((sum, pid) => sum + cpuSeconds(pid), 0)
  const before = Object.fromEntries(names.map((name) => [name, used(name)])) as Record<Name, number>
  return () => Object.fromEntries(names.map((name) => [name, used(name) - before[name]])) as Record<Name, number>
}
