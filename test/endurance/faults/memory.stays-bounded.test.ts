import { execFile } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, inject, test } from 'vitest'
import type { RunningProcess } from '../../../dev/stack/processes.ts'
import { drawVersion, type Version } from '../../support/worlds/versions.ts'
import { openWorld, type World } from '../../support/worlds/world.ts'

const preload = import.meta.resolve('../../support/faults/collected-heap.ts')

/** I7. Maximum growth of a process after the first round: resident memory… */
const mostResidentMiB = 100
/** …and live heap, low enough to detect a few KB leaked per request. */
const mostLiveMiB = 8

const rounds = 4
const jobsPerRound = 75
const atOnce = 15
let made = 0

/** Small jobs whose clients wait and read their packets back, and a large one built in slices. */
async function work({ client, org, publish }: World, small: Version, large: Version) {
  for (let from = 0; from < jobsPerRound; from += atOnce) {
    const answers = await Promise.all(
      Array.from({ length: atOnce }, async () => {
        const fileName = `small${made++}`
        const answer = await client.post('/1.0/publish/', { ...small.requests[0], orgName: org, fileName })
        return [answer.status, (await client.get(`/1.0/publish/${org}/${fileName}`)).status]
      }),
    )
    expect(answers).toEqual(answers.map(() => [200, 200]))
  }
  const job = await publish({ version: large, fileName: `large${made++}`, batchSize: 500 })
  expect((await job.done)?.state).toBe('succeeded')
}

async function residentMiB({ pid }: RunningProcess): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])
  return Number(stdout) / 1_024
}

async function usedMiB(program: RunningProcess): Promise<number> {
  const port = /"port":(\d+),"msg":"listening"/.exec(program.log())?.[1]
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(metrics)?.[1]) / 2 ** 20
}

/** The minimum heap in use during the work, as an estimate of live heap; garbage is collected every second. */
async function measure(programs: readonly RunningProcess[], work: () => Promise<void>) {
  const least = programs.map(() => Number.POSITIVE_INFINITY)
  let isDone = false
  const watching = (async () => {
    for (; !isDone; await delay(100)) {
      const used = await Promise.all(programs.map(usedMiB))
      for (const [index, miB] of used.entries()) least[index] = Math.min(least[index] as number, miB)
    }
  })()
  await work()
  isDone = true
  await watching
  return { live: least, resident: await Promise.all(programs.map(residentMiB)) }
}

test('I7: the memory of API and worker stays bounded over hundreds of small jobs and several large ones', {
  timeout: 400_000,
}, async () => {
  const world = await openWorld({ workers: 1, env: { NODE_OPTIONS: `--expose-gc --import=${preload}` } })
  const { service, origin } = world
  const [small, large] = await Promise.all([10, 1_000].map((size) => drawVersion(origin, inject('stack').neo4j, size)))
  if (!small || !large) throw new Error('not drawn')
  const programs = [service.api, ...service.workers]
  // The first jobs load what all need.
  await work(world, small, large)
  const seen: Awaited<ReturnType<typeof measure>>[] = []
  while (seen.length < rounds) seen.push(await measure(programs, () => work(world, small, large)))
  for (const [index, { name }] of programs.entries()) {
    const [live, resident] = (['live', 'resident'] as const).map((what) =>
      seen.map((round) => Math.round(round[what][index] as number)),
    ) as [number[], number[]]
    console.log(`${name}, after each ${jobsPerRound + 1} jobs: resident ${resident} MiB, live heap ${live} MiB`)
    expect((resident.at(-1) as number) - (resident[0] as number)).toBeLessThan(mostResidentMiB)
    expect((live.at(-1) as number) - (live[0] as number)).toBeLessThan(mostLiveMiB)
    expect(Math.min(...live)).toBeGreaterThan(5)
  }
})
