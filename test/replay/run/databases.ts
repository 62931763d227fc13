import type { Driver, Node as DriverNode, Relationship as DriverRelationship, Transaction } from 'neo4j-driver'
import { itemOf } from '../../../client/replay/order/batches.ts'
import { packPart } from '../../../client/replay/order/packed.ts'
import { connectionOf } from '../../../client/replay/run/connection.ts'
import { createRunner } from '../../../client/replay/run/run-batch.ts'
import { type Lanes, runWindow } from '../../../client/replay/run/run-window.ts'
import { createTally } from '../../../client/replay/run/transaction.ts'
import { createReader } from '../../../client/replay/verify/reader.ts'
import { untilUndisturbed } from '../../../dev/replay/neo4j.ts'
import { stringifyLossless } from '../../../packet/lossless-json.ts'
import type { Pair } from '../../../packet/parts/parse-part.ts'
import { recognise } from '../../../packet/recognise.ts'
import type { Alphabet } from '../generator/alphabet.ts'
import { types } from '../generator/alphabet.ts'
import type { Graph } from '../generator/graph.ts'

type Run = Pick<Transaction, 'run'>

/**
 * Creates a graph. Nodes get their labels when they are created: ArcadeDB gives a node another internal id when its
 * labels change. @returns the element ids of its relationships, in order.
 */
async function create(run: Run, { nodes, relationships }: Graph): Promise<string[]> {
  const ids: bigint[] = []
  const alike = Map.groupBy(nodes.entries(), ([, { labels }]) => labels.map((label) => `:${label}`).join(''))
  const created = [...alike].map(async ([labels, entries]) => {
    const rows = entries.map(([, { properties }]) => properties)
    const { records } = await run.run(`UNWIND $rows AS row CREATE (n${labels}) SET n = row RETURN id(n)`, { rows })
    for (const [at, record] of records.entries()) ids[entries[at]?.[0] as number] = record.get(0) as bigint
  })
  await Promise.all(created)
  const rows = relationships.map((it, index) => ({ ...it, index, from: ids[it.from], to: ids[it.to] }))
  const elementIds: string[] = []
  const drawn = types.map(async (type) => {
    const own = rows.filter((row) => row.type === type)
    const { records } = await run.run(
      `UNWIND $rows AS row MATCH (a) WHERE id(a) = row.from MATCH (b) WHERE id(b) = row.to CREATE (a)-[r:${type}]->(b) SET r = row.properties RETURN r`,
      { rows: own.map(({ from, to, properties }) => ({ from, to, properties })) },
    )
    for (const [at, record] of records.entries()) {
      elementIds[own[at]?.index as number] = (record.get(0) as DriverRelationship).elementId
    }
  })
  await Promise.all(drawn)
  return elementIds
}

async function read(run: Run, { all }: Alphabet): Promise<Graph> {
  const gathered = all
    .map((label) => `OPTIONAL MATCH (n:${label}) WITH ids, collect(id(n)) AS more WITH ids + more AS ids`)
    .join(' ')
  const own = `WITH [] AS ids ${gathered} UNWIND ids AS own WITH DISTINCT own`
  const [found, between] = await Promise.all([
    run.run(`${own} MATCH (n) WHERE id(n) = own RETURN n`),
    run.run(`${own} MATCH (n)-[r]->() WHERE id(n) = own RETURN r`),
  ])
  const nodes = found.records.map((record) => record.get(0) as DriverNode<bigint>)
  const at = new Map(nodes.map(({ identity }, index) => [identity, index]))
  return {
    nodes: nodes.map(({ labels, properties }) => ({ labels, properties })),
    relationships: between.records
      .map((record) => record.get(0) as DriverRelationship<bigint>)
      .map(({ type, start, end, properties }) => ({
        type,
        from: at.get(start) as number,
        to: at.get(end) as number,
        properties,
      })),
  }
}

/** Replaces the origin's graph with this one. @returns the element ids of its relationships, in order. */
export const createOrigin = (driver: Driver, graph: Graph, names: Alphabet): Promise<string[]> =>
  written(driver, async (transaction) => {
    await wipe(transaction, names)
    return create(transaction, graph)
  })

/** Writes in a session of its own: Neo4j 4.1 refuses the bookmark of an earlier transaction of the same session. */
async function written<T>(driver: Driver, work: (run: Run) => Promise<T>): Promise<T> {
  const session = driver.session()
  try {
    return await session.executeWrite(work)
  } finally {
    await session.close()
  }
}

const wipe = (run: Run, { all }: Alphabet) =>
  Promise.all(all.map((label) => run.run(`MATCH (n:${label}) DETACH DELETE n`)))

export const wipeOrigin = (driver: Driver, names: Alphabet): Promise<unknown> =>
  written(driver, (transaction) => wipe(transaction, names))

/** Reads the graph that a database holds. */
export async function readGraphOf(driver: Driver, names: Alphabet): Promise<Graph> {
  const session = driver.session()
  try {
    return await session.executeRead((transaction) => read(transaction, names))
  } finally {
    await session.close()
  }
}

/** What a replay by the engine made of a target, and what a comparison with the packet found. */
interface Replayed {
  graph: Graph
  /** Differences in words, before the replay and after it. */
  found: { before: string[]; after: string[] }
}

/** Replays by the engine, whose transactions are committed; leaves no data behind either. */
export async function replayedByEngine(
  driver: Driver,
  before: Graph,
  pairs: readonly Pair[],
  names: Alphabet,
  lanes: Lanes,
): Promise<Replayed> {
  const items = pairs.map((pair, index) => {
    const recognised = recognise(pair.statement)
    if (recognised === null) throw new Error(`not recognised: ${pair.statement}`)
    return itemOf(pair.parameters, { part: 1, pair: index + 1 }, recognised)
  })
  const tally = createTally()
  const { signal } = new AbortController()
  const runner = createRunner({ connection: connectionOf(driver), tally, lanes: lanes.lanes, signal })
  const compare = createReader(connectionOf(driver, null, 'read'), {
    lanes: 1,
    batchRows: lanes.batchRows,
    mostShown: items.length,
    signal,
  })
  const differences = async () => {
    const found: string[] = []
    await compare(items, (_batch, differing) => found.push(...differing.map(({ text }) => text)))
    return found
  }
  try {
    await written(driver, (transaction) => create(transaction, before))
    const foundBefore = await differences()
    const stored = Buffer.from(stringifyLossless({ statements: pairs }))
    const packed = packPart({ number: 1, sha256: '', items, mapped: [] }, stored)
    await runWindow(packed.items, runner, { ...lanes, inOrder: false }, tally)
    const found = { before: foundBefore, after: await differences() }
    return { graph: await readGraphOf(driver, names), found }
  } finally {
    await wipeOrigin(driver, names)
  }
}

/** The target after a replay, in a transaction that is rolled back: fast, and leaves no data behind. */
export const replayed = (driver: Driver, before: Graph, pairs: readonly Pair[], names: Alphabet): Promise<Graph> =>
  untilUndisturbed(async () => {
    const session = driver.session()
    const transaction = session.beginTransaction()
    try {
      await create(transaction, before)
      await Promise.all(pairs.map(({ statement, parameters }) => transaction.run(statement, parameters)))
      return await read(transaction, names)
    } finally {
      await transaction.rollback().catch(() => {})
      await session.close()
    }
  })
