import { readFileSync } from 'node:fs'
import { withRowFields } from '../../client/replay/order/over-rows.ts'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { inSlices } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/addresses.ts'
import { parsePart } from '../../packet/parts/parse-part.ts'
import { recognise } from '../../packet/recognise.ts'
import { replayed, verified } from '../support/replay/replaying.ts'
import { label, sourceOf } from './replay-packet.ts'
import type { Measured } from './results.ts'
import { countCpu, peakMegabytes } from './usage.ts'

/** One replay of the benchmark's graph, in its own process; its result is the last line of output. */
export interface ReplayerOrder {
  way: ReplayWay
  /** The parts of the packet: nodes first, relationships last. */
  files: readonly string[]
  neo4j: Neo4jAddress
}

export type ReplayWay = keyof typeof ways

/** Prepares; the function that is returned is measured. */
type Way = (neo4j: Neo4jAddress, files: readonly string[]) => Measuring | Promise<Measuring>
type Measuring = () => Promise<{ statements: number } & Record<string, number>>

// This way is slow, so it replays one of so many pairs: nodes and relationships, in the packet's proportion.
const singleEvery = 20

const ways = {
  'one-lane': engine(1),
  'four-lanes': engine(4),
  verify: async (neo4j, files) => {
    await replayed(sourceOf(files), neo4j)
    return async () => {
      const { pairs, differing } = await verified(sourceOf(files), neo4j)
      if (differing > 0) throw new Error(`${differing} pairs differ`)
      return { statements: Object.values(pairs).reduce((sum, count) => sum + count, 0) }
    }
  },
  'single-pairs': (neo4j, files) => {
    const pairs = pairsOf(files).filter((_, index) => index % singleEvery === 0)
    return async () => {
      await using driver = openDriver(neo4j)
      const session = driver.session()
      for (const { statement, parameters } of pairs) await session.run(statement, parameters)
      await session.close()
      return { statements: pairs.length }
    }
  },
  driver: (neo4j, files) => {
    const pairs = pairsOf(files)
    const batches = [...Map.groupBy(pairs, ({ statement }) => statement)].flatMap(([statement, alike]) => {
      const query = `UNWIND $rows AS row ${withRowFields(recognise(statement)?.text ?? [])} RETURN count(*)`
      const rows = alike.map(({ parameters }) => parameters)
      return inSlices(rows, 1_000).map((some) => ({ query, rows: some }))
    })
    return async () => {
      await using driver = openDriver(neo4j)
      const session = driver.session()
      for (const { query, rows } of batches)
        await session.executeWrite((transaction) => transaction.run(query, { rows }))
      await session.close()
      return { statements: pairs.length }
    }
  },
} satisfies Record<string, Way>

const pairsOf = (files: readonly string[]) => files.flatMap((file) => parsePart(readFileSync(file)))

function engine(lanes: number): Way {
  return (neo4j, files) => async () => {
    const { rows, retried, transactions } = await replayed(sourceOf(files), neo4j, { lanes })
    return { statements: rows, retried, transactions }
  }
}

if (process.env.REPLAYER_ORDER) {
  const { way, files, neo4j }: ReplayerOrder = JSON.parse(process.env.REPLAYER_ORDER)
  await using driver = openDriver(neo4j)
  const clear = () =>
    run(driver, `MATCH (n:${label}) CALL { WITH n DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS RETURN count(*)`)
  await clear()
  await replayed(sourceOf([...files.slice(0, 1), ...files.slice(-1)]), neo4j, { lanes: 1, createConstraints: true })
  await clear()
  const measured = await ways[way](neo4j, files)
  const used = countCpu({ client: [process.pid], database: [neo4j.pid] })
  const started = performance.now()
  const counts = await measured()
  const seconds = (performance.now() - started) / 1_000
  const { client, database } = used()
  await clear()
  const result: Measured = {
    ...counts,
    seconds,
    clientCpu: client,
    databaseCpu: database,
    peakMB: peakMegabytes('self'),
  }
  console.log(JSON.stringify(result))
}
