import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export const residentMB = (pid: number) =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) / 1_000

/** Processor time of a process's main thread; the kernel counts it in hundredths of a second. */
function mainThreadMs(pid: number): number {
  const [, fields] = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8').split(') ')
  const [userTicks, systemTicks] = (fields as string).split(' ').slice(11, 13)
  return (Number(userTicks) + Number(systemTicks)) * 10
}

/**
 * Polls an API's `/livez` continuously. `busyMs` is the most processor time its main thread took for other work while
 * such a request waited, which unlike the waiting time does not depend on how busy the machine is.
 */
export function watchApi(apiUrl: string, pid: number) {
  const seen = { livezMs: 0, busyMs: 0, residentMB: 0 }
  let isOver = false
  async function watch() {
    while (!isOver) {
      const started = performance.now()
      const startedAtMs = mainThreadMs(pid)
      await (await fetch(`${apiUrl}/livez`)).text()
      seen.busyMs = Math.max(seen.busyMs, mainThreadMs(pid) - startedAtMs)
      seen.livezMs = Math.max(seen.livezMs, Math.round(performance.now() - started))
      seen.residentMB = Math.max(seen.residentMB, Math.round(residentMB(pid)))
      await sleep(20)
    }
  }
  const watching = watch()
  return {
    seen,
    async stop() {
      isOver = true
      await watching
      return seen
    },
  }
}
