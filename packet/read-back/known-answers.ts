import { isDeepStrictEqual } from 'node:util'
import neo4j from 'neo4j-driver'

interface Known {
  /** In words, for a refusal. */
  what: string
  expression: string
  fits: (value: unknown) => boolean
}

const equals = (known: unknown) => (value: unknown) => isDeepStrictEqual(value, known)

/**
 * What some servers that speak Bolt answer wrongly, although a packet would depend on it. FalkorDB 4.16.3 sends one null
 * too many after each point, so the later values of a row stand in the wrong columns. kglite-bolt-server 0.21.5 answers
 * null for a map projection of an element of a list.
 */
const known: readonly Known[] = [
  { what: 'null', expression: 'null', fits: equals(null) },
  {
    what: 'a point',
    expression: 'point({longitude: 1.5, latitude: 2.5})',
    fits: (value) => value instanceof neo4j.types.Point && value.x === 1.5 && value.y === 2.5,
  },
  { what: 'the value after a point', expression: '7', fits: equals(7n) },
  { what: 'a list', expression: "[1, 'two', null]", fits: equals([1n, 'two', null]) },
  { what: 'properties()', expression: 'properties(map)', fits: equals({ a: 7n }) },
  {
    what: 'a map projection of an element of a list',
    expression: '[map{.a, .z}, node IS NULL OR node{.z} IS NOT NULL]',
    fits: equals([{ a: 7n, z: null }, true]),
  },
]

const columns = known.map(({ expression }, index) => `${expression} AS known${index}`).join(', ')

/** A query of one row, whose values are known whatever the database holds. Every supported database answers it. */
export const knownQuery = `OPTIONAL MATCH (n) WITH [n, {a: 7}] AS list LIMIT 1 WITH list[0] AS node, list[1] AS map RETURN ${columns}`

/** The first value of the row that is wrong, in words; null if none is. Integers are BigInt. */
export const wrongIn = (values: readonly unknown[]): string | null =>
  known.find(({ fits }, index) => !fits(values[index]))?.what ?? null
