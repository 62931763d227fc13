import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openEvents } from '../../support/clients/events.ts'
import { ownJobs } from '../../support/jobs/own-jobs.ts'
import { measuredAt } from '../../support/programs/metrics.ts'
import { ownService } from '../../support/programs/own-service.ts'

const preload = import.meta.resolve('../../support/faults/collected-heap.ts')
const { service } = await ownService({ env: { NODE_OPTIONS: `--expose-gc --import=${preload}` } })
const jobs = ownJobs(service.redisUrl)

const [streams, jobsFollowed] = [1_000, 50]
const open = (id: string) => openEvents(`${service.apiUrl}/1.0/jobs/${id}/events`, service.tokens.all)

/** Resident memory and live heap: the least of more than a second, as garbage is collected every second. */
async function memoryMiB() {
  const least = { resident: Number.POSITIVE_INFINITY, live: Number.POSITIVE_INFINITY }
  for (let sample = 0; sample < 5; sample++) {
    const measured = await measuredAt(service.apiUrl)
    least.resident = Math.min(least.resident, measured.sum('process_resident_memory_bytes') / 2 ** 20)
    least.live = Math.min(least.live, measured.sum('nodejs_heap_size_used_bytes') / 2 ** 20)
    await delay(250)
  }
  return least
}

const openStreams = async () => (await measuredAt(service.apiUrl)).sum('packets_event_streams')

test('a thousand event streams cost little memory, and all receive the end of their jobs', async () => {
  const ids = await Promise.all(Array.from({ length: jobsFollowed }, () => jobs.create()))
  const openMany = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, index) => open(ids[index % ids.length] as string)))
  // Warm-up, so that neither compilation nor initial heap growth is measured.
  for (let round = 0; round < 2; round++) {
    for (const { hangUp } of await openMany(streams / 2)) hangUp()
    await expect.poll(openStreams, { timeout: 20_000 }).toBe(0)
  }
  const before = await memoryMiB()
  const opened = await openMany(streams)
  await expect.poll(() => opened.every(({ events }) => events.length === 1), { timeout: 20_000 }).toBe(true)
  // What 1,000 requests at once took besides is given back only after a while, on a busy machine after seconds.
  const costOf = async () => {
    const after = await memoryMiB()
    const cost = { resident: after.resident - before.resident, live: after.live - before.live }
    console.log(
      `${streams} event streams: resident +${cost.resident.toFixed(1)} MiB, live heap +${cost.live.toFixed(1)} MiB`,
    )
    return cost.resident < 40 && cost.live < 20
  }
  expect(before.live).toBeGreaterThan(5)
  await expect.poll(costOf, { timeout: 30_000 }).toBe(true)
  const delays: number[] = []
  for (const [index, id] of ids.entries()) {
    const own = opened.filter((_, at) => at % ids.length === index)
    const finishedAt = performance.now()
    await jobs.records.finish(id, 'failed', {})
    await Promise.all(own.map(({ closed }) => closed))
    delays.push(...own.map(({ events }) => (events.at(-1)?.at ?? Number.POSITIVE_INFINITY) - finishedAt))
  }
  console.log(`the end of a job is told within ${Math.max(...delays).toFixed(0)} ms`)
  expect(opened.map(({ events }) => events.map(({ event }) => event).join())).toEqual(Array(streams).fill('job,end'))
  await expect.poll(openStreams).toBe(0)
}, 120_000)
