import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const residentMB = (pid: number) =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? Number.NaN) / 1_000

/** Polls an API's `/livez` continuously and records how long it takes, and the peak memory of its process. */
export function watchApi(apiUrl: string, pid: number) {
  const seen = { livezMs: 0, residentMB: 0 }
  const timesMs: number[] = []
  let isOver = false
  async function watch() {
    while (!isOver) {
      const started = performance.now()
      await (await fetch(`${apiUrl}/livez`)).text()
      timesMs.push(performance.now() - started)
      seen.livezMs = Math.max(seen.livezMs, timesMs.at(-1) as number)
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
      // A busy machine delays single answers of any process, so tests compare those that one in 200 exceeds.
      const rarelyExceededMs = timesMs.toSorted((a, b) => a - b)[Math.floor(timesMs.length * 0.995)] as number
      return { ...seen, rarelyExceededMs }
    },
  }
}
