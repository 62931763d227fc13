import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'

/** Preloaded into a program under test: notes each turn of its event loop that takes much processor time. */
const [everyMs, notableMs] = [10, 30]
if (isMainThread) {
  const file = join(process.env.TURNS_DIRECTORY as string, String(process.pid))
  appendFileSync(file, '')
  let before = process.threadCpuUsage()
  setInterval(() => {
    // A timer fires once in a turn, so it sees what the turn since it last fired has taken.
    const { user, system } = process.threadCpuUsage(before)
    before = process.threadCpuUsage()
    const milliseconds = (user + system) / 1_000
    if (milliseconds >= notableMs) appendFileSync(file, `${Date.now()} ${Math.round(milliseconds)}\n`)
  }, everyMs).unref()
}
