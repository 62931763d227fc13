import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Driver } from 'neo4j-driver'
import { openRun } from '../stack/run.ts'
import { startService } from '../stack/service.ts'
import { type Stack, startStack } from '../stack/stack.ts'
import { createClient } from '../support/client.ts'
import { openDriver, run } from '../support/neo4j.ts'
import { database, inSlices } from '../support/requests.ts'

/**
 * Does a worker's memory depend on the size of what it publishes? Publishes packets of 100,000 and of 1,000,000 pairs,
 * each in a fresh worker, and compares the peaks of resident memory. `npm run bench -- --rounds 5`
 */
const local = join(import.meta.dirname, '../../.local')
const people = 100_000
const sizes = [100_000, 1_000_000]

async function drawPeople(driver: Driver): Promise<string[]> {
  await run(driver, 'CREATE CONSTRAINT IF NOT EXISTS FOR (n:Person) REQUIRE n.id IS UNIQUE')
  const properties =
    'name: "Person " + i, email: "person" + i + "@example.org", age: i % 90, height: 1.5 + i % 50 / 100.0, active: i % 2 = 0, born: date({year: 1930 + i % 90}), seen: datetime({epochSeconds: i}), tags: ["a", "b"], city: "City " + i % 1000'
  for (let start = 0; start < people; start += 10_000) {
    const range = 'UNWIND range($start, $start + 9999) AS i'
    await run(driver, `${range} CREATE (:Person {id: toString(i), ${properties}})`, { start: BigInt(start) })
  }
  return Array.from({ length: people }, (_, index) => String(index))
}

interface Measured {
  pairs: number
  peakMiB: number
  seconds: number
}

/** One packet by one fresh worker. */
async function measure(stack: Stack, ids: readonly string[], pairs: number, directory: string): Promise<Measured> {
  await using service = await startService(stack, { directory, workers: 1 })
  const client = createClient(service.apiUrl, service.tokens.all as string)
  await client.post('/1.0/publish/bench')
  const once = inSlices(ids, 500)
  const slices = Array.from({ length: pairs / people }, () => once).flat()
  const fields = { ...database(stack.neo4j, 'Person', 'id'), metadata: true, orgName: 'bench', fileName: 'people' }
  const body = slices.map((originIds) => ({ ...fields, originIds }))
  const answer = await client.post('/1.0/publish/multi?forceOverwrite=true', body, { Prefer: 'respond-async' })
  const job = await client.followJob(answer.headers.get('Location') as string, 1_800_000)
  if (job.state !== 'succeeded') throw new Error(`the job ${job.state}: ${job.error?.message}`)
  if (job.progress.pairs !== pairs) throw new Error(`${job.progress.pairs} pairs instead of ${pairs}`)
  const status = readFileSync(`/proc/${service.workers[0]?.pid}/status`, 'utf8')
  const peakMiB = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1_024
  const seconds = (Date.parse(job.finishedAt as string) - Date.parse(job.startedAt as string)) / 1_000
  return { pairs, peakMiB, seconds }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } })
await using stack = await startStack({})
const logs = openRun(join(local, 'run'), console.error)
const driver = openDriver(stack.neo4j)
const ids = await drawPeople(driver)
const measured: Measured[] = []
for (let round = 0; round < Number(values.rounds); round++) {
  for (const pairs of sizes) {
    const one = await measure(stack, ids, pairs, join(logs.directory, `${round}-${pairs}`))
    console.log(
      `${one.pairs} pairs: peak ${one.peakMiB.toFixed(0)} MiB, ${one.seconds} s, ${Math.round(one.pairs / one.seconds)} pairs/s`,
    )
    measured.push(one)
  }
}
const [small, large] = sizes.map((pairs) => {
  const own = measured.filter((one) => one.pairs === pairs)
  return { peakMiB: median(own.map(({ peakMiB }) => peakMiB)), rate: median(own.map((one) => one.pairs / one.seconds)) }
}) as [{ peakMiB: number; rate: number }, { peakMiB: number; rate: number }]
console.log(
  `medians of ${values.rounds}: peak ${small.peakMiB.toFixed(0)} and ${large.peakMiB.toFixed(0)} MiB, ratio ${(large.peakMiB / small.peakMiB).toFixed(2)}; ${Math.round(small.rate)} and ${Math.round(large.rate)} pairs/s`,
)
mkdirSync(join(local, 'bench'), { recursive: true })
writeFileSync(join(local, 'bench/memory.json'), JSON.stringify(measured, null, 2))
await driver.close()
await logs.stop()
