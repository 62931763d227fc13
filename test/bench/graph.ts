import type { Driver } from 'neo4j-driver'
import { openDriver, run } from '../../dev/replay/neo4j.ts'
import { inSlices } from '../../dev/requests.ts'
import type { Neo4jAddress } from '../../dev/stack/addresses.ts'
import { shuffled } from '../support/values/shuffle.ts'

/** The graph's size; at scale 1: 100,000 people and 400,000 KNOWS, 50,000 of them from one person. */
export const sizesOf = (scale: number) => ({
  people: Math.round(100_000 * scale),
  hub: Math.round(50_000 * scale),
  relationships: Math.round(400_000 * scale),
})

export const apocSlice = 5_000
const perTransaction = 10_000

/** All ids in the order in which every lane requests them; it differs from id order and storage order. */
export const idsOf = (scale: number): string[] => shuffled(storedIds(scale), 2)

/** The id of the hub. */
export const hubOf = (scale: number): string => storedIds(scale)[0] as string

/** Up to a fifth of the ids, for warming up. */
export const warmUpIds = (ids: readonly string[]): string[] => ids.slice(0, Math.min(ids.length / 5, 20_000))

/** The cities of a fifth of the people. */
export const warmUpCities: readonly string[] = Array.from({ length: 200 }, (_, index) => `City ${index}`)

const storedIds = (scale: number) =>
  shuffled(
    Array.from({ length: sizesOf(scale).people }, (_, index) => `p${String(index).padStart(7, '0')}`),
    1,
  )

const person = `{id: row.id, name: 'Person ' + row.i, email: 'person' + row.i + '@example.org', age: row.i % 90,
  height: 1.5 + row.i % 50 / 100.0, active: row.i % 2 = 0, born: date({year: 1930 + row.i % 90, month: 1 + row.i % 12}),
  seen: datetime({epochSeconds: 1700000000 + row.i}), tags: ['a', 'tag ' + row.i % 10], city: 'City ' + row.i % 1000}`
const knows = `{since: 1990 + row.i % 30, strength: row.i % 100 / 100.0, note: 'met ' + row.i % 1000 + ' times'}`

/** Creates the same graph every time, plus the id lists for APOC's queries. */
export async function drawGraph(driver: Driver, scale: number): Promise<void> {
  await drawPeople(driver, scale, 'Person')
  const ids = idsOf(scale)
  const lists = [
    { name: 'all', ids },
    { name: 'warm', ids: warmUpIds(ids) },
    ...inSlices(ids, apocSlice).map((slice, index) => ({ name: `slice ${index}`, ids: slice })),
  ]
  await run(driver, 'UNWIND $lists AS list CREATE (:Ids {name: list.name, ids: list.ids})', { lists })
  await run(driver, 'CALL db.awaitIndexes(600)')
  await run(driver, 'CALL db.prepareForReplanning()')
}

export const demandUniqueIds = (driver: Driver, label: string) =>
  run(driver, `CREATE CONSTRAINT FOR (n:${label}) REQUIRE n.id IS UNIQUE`)

/** Creates the graph's people under a label, and their relationships. */
export async function drawPeople(driver: Driver, scale: number, label: string): Promise<void> {
  await demandUniqueIds(driver, label)
  const people = storedIds(scale).map((id, index) => ({ id, i: BigInt(index) }))
  for (const rows of inSlices(people, perTransaction)) {
    await run(driver, `UNWIND $rows AS row CREATE (:${label} ${person})`, { rows })
  }
  for (const rows of inSlices(acquaintances(scale), perTransaction)) {
    const ends = `MATCH (a:${label} {id: row.a}) MATCH (b:${label} {id: row.b})`
    await run(driver, `UNWIND $rows AS row ${ends} CREATE (a)-[:KNOWS ${knows}]->(b)`, { rows })
  }
}

/** KNOWS pairs, no duplicates or self-loops: many from the hub, three or four from all others at fixed distances. */
export function acquaintances(scale: number): { a: string; b: string; i: bigint }[] {
  const ids = storedIds(scale)
  const { people, hub, relationships } = sizesOf(scale)
  const distances = shuffled(
    Array.from({ length: people - 1 }, (_, index) => index + 1),
    3,
  ).slice(0, 5)
  const drawn = ids.slice(1, hub + 1).map((b) => ({ a: ids[0] as string, b }))
  for (const distance of distances) {
    for (let at = 1; at < people && drawn.length < relationships; at++) {
      drawn.push({ a: ids[at] as string, b: ids[(at + distance) % people] as string })
    }
  }
  return shuffled(drawn, 4).map((ends, index) => ({ ...ends, i: BigInt(index) }))
}

let changes = 0

/** Changes other people and relationships at each call, one percent of both. Their numbers stay. */
export async function changeOnePercent({ neo4j }: { neo4j: Neo4jAddress }): Promise<void> {
  const digits = String(changes++ % 100).padStart(2, '0')
  await using driver = openDriver(neo4j)
  await run(driver, 'MATCH (n:Person) WHERE n.id ENDS WITH $digits SET n.age = n.age + 1', { digits })
  const notes = Array.from({ length: 10 }, (_, hundreds) => `met ${Number(`${hundreds}${digits}`)} times`)
  await run(driver, 'MATCH (:Person)-[r:KNOWS]->() WHERE r.note IN $notes SET r.since = r.since + 1', { notes })
}
