import { sizesOf } from './graph.ts'
import { multiOf, newFile, relationships, submit } from './publishing.ts'
import type { Ours, Setting } from './setting.ts'

const longestMs = 1_800_000

/** Keeps this many workers busy, each exporting all relationships repeatedly until stopped. */
export async function startBusyExports(setting: Setting, ours: Ours, count: number) {
  const workers = await Promise.all(Array.from({ length: count }, () => ours.service.startWorker()))
  const stopping = new AbortController()
  let failure: Error | null = null
  const expected = sizesOf(setting.scale).relationships + setting.ids.length

  /** Runs exports sequentially. */
  async function work(begun: () => void) {
    while (!stopping.signal.aborted) {
      const location = await submit(ours, multiOf(setting, { ids: setting.ids, options: relationships }, newFile()))
      const job = await ours.client.followJob(location, longestMs, ({ state }) => {
        if (state === 'running') begun()
        if (stopping.signal.aborted) void ours.client.post(`${location}/cancel`)
      })
      if (job.state === 'cancelled') return
      if (job.progress.pairs !== expected) throw new Error(`a busy export ${job.state}: ${job.error?.message}`)
    }
  }

  const works: Promise<void>[] = []
  const begins = workers.map(
    () =>
      new Promise<void>((resolve, reject) => {
        works.push(
          work(resolve).catch((error) => {
            failure = error
            reject(error)
          }),
        )
      }),
  )
  await Promise.all(begins)
  return {
    /** Throws if an export has failed. */
    check() {
      if (failure) throw failure
    },
    async stop() {
      stopping.abort()
      await Promise.all(works)
      await Promise.all(workers.map((worker) => worker.stop(20_000)))
    },
  }
}
