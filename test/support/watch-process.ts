import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const residentMB = (pid: number) =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) / 1_000

/** Polls an API's `/livez` continuously and records the peak memory of its process. */
export function watchApi(apiUrl: string, pid: number) {
  const seen = { livezMs: 0, residentMB: 0 }
  let isOver = false
  async function watch() {
    while (!isOver) {
      const started = performance.now()
      await (await fetch(`${apiUrl}/livez`)).text()
      seen.livezMs = Math.max(seen.livezMs, performance.now() - started)
      seen.residentMB = Math.max(seen.residentMB, residentMB(pid))
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
