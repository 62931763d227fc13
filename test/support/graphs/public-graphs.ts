import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Driver } from 'neo4j-driver'
import { readAirports } from '../../../dev/airports.ts'
import { run } from '../../../dev/replay/neo4j.ts'
import { createRandom } from '../values/random.ts'
import type { ChangingGraph } from './history.ts'

type Row = Record<string, unknown>

/** Rows of a file of the npm package `vega-datasets`, with whole numbers as integers. */
function rowsOf(file: string): Row[] {
  const build = createRequire(import.meta.url).resolve('vega-datasets')
  return JSON.parse(readFileSync(join(dirname(build), '../data', file), 'utf8'), (_, value) =>
    Number.isSafeInteger(value) ? BigInt(value) : value,
  )
}

/** What loads a graph: its rows by label, and between two labels rows that name ids as `a` and `b`. */
interface Loaded {
  nodes: Record<string, Row[]>
  relationships: { type: string; from: string; to: string; rows: Row[] }[]
}

/** The airports of the demo and the flights between them. */
function airports(): Loaded {
  const { airports, flights } = readAirports()
  const rows = flights.map(({ origin, destination, count }) => ({ a: origin, b: destination, count: BigInt(count) }))
  return {
    nodes: { Airport: airports.map(({ iata, ...rest }) => ({ id: iata, ...rest })) },
    relationships: [{ type: 'FLIGHT', from: 'Airport', to: 'Airport', rows }],
  }
}

/** The classes and packages of a library: a tree, and which class needs which. */
function library(): Loaded {
  const parents = rowsOf('flare.json')
  const needs = rowsOf('flare-dependencies.json')
  return {
    nodes: { Class: parents.map(({ parent: _, ...rest }) => rest) },
    relationships: [
      {
        type: 'IN',
        from: 'Class',
        to: 'Class',
        rows: parents.flatMap(({ id, parent }) => (parent === undefined ? [] : [{ a: id, b: parent }])),
      },
      {
        type: 'NEEDS',
        from: 'Class',
        to: 'Class',
        rows: needs.map(({ source, target }) => ({ a: source, b: target })),
      },
    ],
  }
}

/** Films with their directors and distributors. Titles are texts or integers, ratings integers or floats, many absent. */
function films(): Loaded {
  const all = rowsOf('movies.json').map((row, at) => ({ ...row, id: BigInt(at) }) as Row)
  const ofFilms = (key: string, type: string): Loaded['relationships'][number] => ({
    type,
    from: 'Film',
    to: key,
    rows: all.flatMap((row) => (row[key] === null ? [] : [{ a: row.id, b: row[key] }])),
  })
  const named = (key: string) => [...new Set(all.map((row) => row[key]))].filter((id) => id !== null)
  return {
    nodes: {
      Film: all.map(({ Director: _, Distributor: __, ...rest }) => rest),
      Director: named('Director').map((id) => ({ id })),
      Distributor: named('Distributor').map((id) => ({ id })),
    },
    relationships: [ofFilms('Director', 'DIRECTED_BY'), ofFilms('Distributor', 'DISTRIBUTED_BY')],
  }
}

export const publicGraphs = { airports, library, films }

/** A public graph at an origin, with unique ids there and at a target. Each change takes, adds and alters about one of a hundred of its nodes and relationships. */
export function changingPublicGraph(
  driver: Driver,
  target: Driver,
  mark: string,
  { seed, load }: { seed: number; load: () => Loaded },
): ChangingGraph {
  const { nodes, relationships } = load()
  const random = createRandom(seed)
  const labels = Object.keys(nodes)
  const types = [...new Set(relationships.map(({ type }) => type))]
  let step = 0
  /** Draws some of the rows that a query has found, in an order of their own. */
  const some = (found: string, count: number, variable: string) => {
    const [skip, limit] = [Math.floor(random() * count * 0.99), Math.ceil(count / 100)]
    return `${found} WITH ${variable} ORDER BY ${variable === 'n' ? 'toString(n.id)' : 'id(r)'} SKIP ${skip} LIMIT ${limit}`
  }

  return {
    indices: Object.fromEntries(labels.map((label) => [`${mark}${label}`, 'id'])),
    types,
    fields: {},
    async identities() {
      const found = labels.map(async (label) => {
        const rows = await run(driver, `MATCH (n:${mark}${label}) RETURN toString(n.id)`)
        return rows.map(([id]): [string, string] => [`${mark}${label}`, id as string])
      })
      return (await Promise.all(found)).flat()
    },
    async begin() {
      for (const [label, rows] of Object.entries(nodes)) {
        const unique = `CREATE CONSTRAINT FOR (n:${mark}${label}) REQUIRE n.id IS UNIQUE`
        for (const database of [driver, target]) await run(database, unique)
        await run(driver, `UNWIND $rows AS row CREATE (n:${mark}${label}) SET n = row`, { rows })
      }
      for (const { type, from, to, rows } of relationships) {
        const ends = `MATCH (a:${mark}${from} {id: row.a}) MATCH (b:${mark}${to} {id: row.b})`
        await run(driver, `UNWIND $rows AS row ${ends} CREATE (a)-[r:${type}]->(b) SET r = row REMOVE r.a, r.b`, {
          rows,
        })
      }
    },
    async change() {
      step++
      for (const [label, { length }] of Object.entries(nodes)) {
        const found = `MATCH (n:${mark}${label})`
        await run(driver, `${some(found, length, 'n')} DETACH DELETE n`)
        await run(driver, `${some(found, length, 'n')} SET n.step = ${step}`)
        await run(driver, `CREATE (:${mark}${label} {id: 'new ${step}', step: ${step}})`)
      }
      for (const { type, from, to, rows } of relationships) {
        const found = `MATCH (:${mark}${from})-[r:${type}]->()`
        await run(driver, `${some(found, rows.length, 'r')} DELETE r`)
        await run(driver, `${some(found, rows.length, 'r')} SET r.step = ${step}`)
        const ends = `MATCH (a:${mark}${from} {id: 'new ${step}'}) MATCH (b:${mark}${to})`
        await run(driver, `${ends} WITH a, b ORDER BY toString(b.id) LIMIT 3 CREATE (a)-[:${type}]->(b)`)
      }
    },
  }
}
