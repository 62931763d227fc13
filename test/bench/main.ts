import { buildPrograms } from '../../dev/tools/build-programs.ts'
import { servers } from '../stores/servers.ts'
import { lanes } from './lanes.ts'
import { readOptions } from './options.ts'
import { ratiosOf } from './ratios.ts'
import { openResults } from './results.ts'
import { withSetting } from './setting.ts'
import { ratioTableOf, tableOf } from './table.ts'

/** Lanes run once before measuring, so that the database compiles frequent queries. */
const warmUps = [
  'driver',
  'apoc-nodes',
  'apoc-relationships',
  'nodes-1',
  'relationships-1',
  'replay-memory-100k',
  'whole-driver',
  'whole-four-lanes',
]

/**
 * Compares the speed of a publish with other ways to read the same data. `npm run bench`, with `-- --rounds N`,
 * `--lanes a,b`, `--scale N`, `--store NAME` and `--fresh`. Earlier results of the same code are reused.
 */
async function bench(args: readonly string[]): Promise<void> {
  process.env.PROGRAMS ||= 'built'
  await buildPrograms()
  const options = readOptions(
    args,
    lanes.map(({ name }) => name),
    Object.keys(servers),
  )
  const results = openResults(options)
  const chosen = lanes.filter(({ name }) => options.lanes?.includes(name) ?? true)
  const isDue = ({ name, most = Number.POSITIVE_INFINITY }: (typeof lanes)[number], round: number) =>
    results.rounds(name).length <= round && (options.lanes !== null || round < most)
  const rounds = Array.from({ length: options.rounds }, (_, round) => round)
  if (rounds.some((round) => chosen.some((lane) => isDue(lane, round)))) {
    await withSetting(options, async (setting) => {
      for (const lane of chosen.filter(({ name }) => warmUps.includes(name))) await lane.measure(setting)
      console.log('the database has warmed up')
      for (const round of rounds) {
        for (const lane of chosen.filter((lane) => isDue(lane, round))) {
          const started = performance.now()
          results.add(lane.name, await lane.measure(setting))
          const tookSeconds = ((performance.now() - started) / 1_000).toFixed(1)
          console.log(`round ${round + 1} of ${options.rounds}: ${lane.name} took ${tookSeconds} s`)
        }
      }
    })
  }
  const { commit, scale, machine, startedAt } = results.stored
  console.log(`\ncommit ${commit}, scale ${scale}, ${startedAt}, ${machine}\n`)
  console.log(tableOf(lanes, results))
  console.log(`\n${ratioTableOf(ratiosOf(results.rounds, options.scale))}\n\nresults: ${results.file}`)
}

await bench(process.argv.slice(2)).catch((error) => {
  console.error((error as Error).message)
  process.exitCode = 1
})
