import type { Driver } from 'neo4j-driver'
import { valueText } from '../../packet/check/shown-value.ts'
import { run } from './neo4j.ts'

/** A graph as sorted texts, one per node and relationship, with all labels, keys, values and value types. */
export interface GraphText {
  nodes: string[]
  relationships: string[]
}

/**
 * Reads the nodes with a label that starts with `mark` (by default, of any label) and the relationships between them.
 * Zoned datetimes lack their offset, which Bolt 3 does not transmit: use `zonedOffsets`.
 */
export async function readGraph(driver: Driver, mark = ''): Promise<GraphText> {
  const bears = (node: string) => `any(l IN labels(${node}) WHERE l STARTS WITH $mark)`
  const all = (variable: string) => `keys(${variable}), [k IN keys(${variable}) | ${variable}[k]]`
  const ends = 'MATCH (a)-[r]->(b)'
  const nodes = await run(driver, `MATCH (n) WHERE ${bears('n')} RETURN labels(n), ${all('n')}`, { mark })
  const relationships = await run(
    driver,
    `${ends} WHERE ${bears('a')} AND ${bears('b')} RETURN labels(a), ${all('a')}, [type(r)], ${all('r')}, labels(b), ${all('b')}`,
    { mark },
  )
  const text = (values: unknown[]) => elementText(...(values as [string[], string[], unknown[]]))
  return {
    nodes: nodes.map(text).sort(),
    relationships: relationships
      .map((row) => `${text(row.slice(0, 3))} -${text(row.slice(3, 6))}-> ${text(row.slice(6))}`)
      .sort(),
  }
}

function elementText(labels: string[], keys: string[], values: unknown[]): string {
  const properties = keys.map((key, index) => `${JSON.stringify(key)}: ${valueText(values[index])}`).sort()
  return `(${labels
    .toSorted()
    .map((label) => `:${label}`)
    .join('')} {${properties.join(', ')}})`
}

/** Offset and instant of the zoned datetimes under `keys`, of one node and one relationship. */
export async function zonedOffsets(driver: Driver, label: string, keys: readonly string[]): Promise<unknown[]> {
  const columns = ['n', 'r'].flatMap((variable) => keys.map((key) => `${variable}.${key}`))
  const returned = columns.map((at) => `${at}.offsetSeconds, ${at}.epochSeconds`).join(', ')
  const question = `MATCH (n:\`${label}\`)-[r]-() WHERE r.${keys[0]} IS NOT NULL RETURN ${returned}`
  return (await run(driver, question)).flat()
}

/** The differences, one per line: `-` only in `expected`, `+` only in `actual`. Empty if the graphs are equal. */
export function differences(expected: GraphText, actual: GraphText): string[] {
  return [...difference(expected.nodes, actual.nodes), ...difference(expected.relationships, actual.relationships)]
}

function difference(expected: readonly string[], actual: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const text of expected) counts.set(text, (counts.get(text) ?? 0) + 1)
  for (const text of actual) counts.set(text, (counts.get(text) ?? 0) - 1)
  return [...counts].flatMap(([text, count]) => Array(Math.abs(count)).fill(`${count > 0 ? '-' : '+'} ${text}`))
}
