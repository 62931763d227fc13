import type { Driver } from 'neo4j-driver'
import { run } from './replay/neo4j.ts'

/** What an example request publishes. */
export interface Example {
  label: string
  idProperty: string
  ids: string[]
  relationships: string[]
}

export const exampleOfSample: Example = {
  label: 'Airport',
  idProperty: 'iata',
  ids: ['SEA', 'JFK'],
  relationships: ['FLIGHT>'],
}

const usualIds = /^(key|name|grn|uuid|iata|isbn|.*id)$/i

/** An example of a person's own database, from its first nodes: a label with a text of its own in every node. */
export async function findExample(driver: Driver): Promise<Example | null> {
  const rows = (await run(driver, 'MATCH (n) WITH n LIMIT 1000 RETURN labels(n), properties(n)')) as [
    string[],
    Record<string, unknown>,
  ][]
  const found = [...new Set(rows.flatMap(([labels]) => labels))].flatMap((label) => {
    const nodes = rows.filter(([labels]) => labels.includes(label)).map(([, properties]) => properties)
    return Object.keys(nodes[0] ?? {})
      .filter((key) => isIdentity(nodes.map((properties) => properties[key])))
      .map((idProperty) => ({
        label,
        idProperty,
        relationships: [],
        ids: nodes.slice(0, 2).map((properties) => properties[idProperty] as string),
      }))
  })
  return found.find(({ idProperty }) => usualIds.test(idProperty)) ?? found[0] ?? null
}

const isIdentity = (values: unknown[]): boolean =>
  values.every((value) => typeof value === 'string' && value.trim() !== '') && new Set(values).size === values.length
