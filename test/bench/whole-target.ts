import { openDriver, run as query } from '../../dev/replay/neo4j.ts'
import type { Neo4jAddress } from '../../dev/stack/addresses.ts'
import { startLargeTarget } from '../../dev/stack/native/neo4j.ts'
import { demandUniqueIds, drawPeople, idsOf, sizesOf } from './graph.ts'
import type { Setting } from './setting.ts'

/** A graph of people with one label, and another database that is to get it. */
export interface Whole {
  label: string
  ids: readonly string[]
  /** The number of its nodes and relationships. */
  entities: number
  target: Neo4jAddress
}

const labels = { all: 'Person', tenth: 'Tenth' }
export type Size = keyof typeof labels

const opened = new Map<Size, Promise<unknown>>()
let started: Promise<Neo4jAddress> | null = null

/** The benchmark's graph, or one of a tenth of its size, which is added to the database at its first use. */
export async function openWhole(setting: Setting, size: Size): Promise<Whole> {
  const scale = size === 'all' ? setting.scale : setting.scale / 10
  const label = labels[size]
  started ??= startLargeTarget(setting.run)
  const target = await started
  if (!opened.has(size)) opened.set(size, prepare(setting, target, size, scale))
  await opened.get(size)
  const { people, relationships } = sizesOf(scale)
  return { label, ids: idsOf(scale), entities: people + relationships, target }
}

async function prepare({ neo4j }: Setting, target: Neo4jAddress, size: Size, scale: number): Promise<void> {
  await using origin = openDriver(neo4j)
  if (size === 'tenth') await drawPeople(origin, scale, labels.tenth)
  await using driver = openDriver(target)
  await demandUniqueIds(driver, labels[size])
}

/** Leaves nothing in the target but its constraints, and no plans of queries that were made for a full one. */
export async function clear(target: Neo4jAddress): Promise<void> {
  await using driver = openDriver(target)
  await query(driver, 'MATCH (n) CALL { WITH n DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS RETURN count(*)')
  await query(driver, 'CALL db.clearQueryCaches()')
}

/** Compares counts, and sums over properties. @throws Error if they are not equal */
export async function requireEqual(origin: Neo4jAddress, { label, target }: Whole): Promise<void> {
  const [expected, actual] = [await summaryOf(origin, label), await summaryOf(target, label)]
  if (actual !== expected) throw new Error(`the target has ${actual} instead of ${expected}`)
}

async function summaryOf(address: Neo4jAddress, label: string): Promise<string> {
  await using driver = openDriver(address)
  const nodes = 'RETURN labels(n), count(n), sum(size(keys(n))), sum(n.age)'
  const relationships = 'RETURN type(r), count(r), sum(size(keys(r))), sum(r.since)'
  const rows = [
    ...(await query(driver, `MATCH (n:${label}) ${nodes}`)),
    ...(await query(driver, `MATCH (:${label})-[r]->(:${label}) ${relationships}`)),
  ]
  return rows.map((row) => row.flat().join(' ')).join(', ') || 'nothing'
}
