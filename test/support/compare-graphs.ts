import type { Driver } from 'neo4j-driver'

/** A graph in words: every node and relationship with all its labels, keys, values and their types, as sorted texts. */
export interface GraphText {
  nodes: string[]
  relationships: string[]
}

/** Reads a whole database, or the nodes with one label and the relationships between those. */
export async function readGraph(driver: Driver, label?: string): Promise<GraphText> {
  const session = driver.session()
  const [at, at2] = label === undefined ? ['', ''] : [`:\`${label}\``, `:\`${label}\``]
  try {
    const nodes = await session.run(`MATCH (n${at}) RETURN labels(n), keys(n), [k IN keys(n) | n[k]]`)
    const relationships = await session.run(
      `MATCH (a${at})-[r]->(b${at2}) RETURN labels(a), keys(a), [k IN keys(a) | a[k]], type(r), keys(r), [k IN keys(r) | r[k]], labels(b), keys(b), [k IN keys(b) | b[k]]`,
    )
    const text = (values: unknown[]) =>
      elementText(values[0] as string[], values[1] as string[], values[2] as unknown[])
    return {
      nodes: nodes.records.map((record) => text([...record.values()])).sort(),
      relationships: relationships.records
        .map((record) => {
          const values = [...record.values()]
          return `${text(values.slice(0, 3))} -${text([[values[3]], values[4], values[5]])}-> ${text(values.slice(6))}`
        })
        .sort(),
    }
  } finally {
    await session.close()
  }
}

function elementText(labels: string[], keys: string[], values: unknown[]): string {
  const properties = keys.map((key, index) => `${JSON.stringify(key)}: ${valueText(values[index])}`).sort()
  return `(${labels
    .toSorted()
    .map((label) => `:${label}`)
    .join('')} {${properties.join(', ')}})`
}

/** A value with its type: 1, 1.0, "1" and [1] are four texts; a zoned time with its offset and its zone. */
export function valueText(value: unknown): string {
  if (typeof value === 'bigint') return `${value}`
  if (typeof value === 'number') return `float ${Object.is(value, -0) ? '-0' : value}`
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(
    ([key, field]) => `${key} ${typeof field === 'object' && field !== null ? valueText(field) : String(field)}`,
  )
  return `${value.constructor.name} {${fields.join(', ')}}`
}

/** What the two differ in, a line each: `-` only in `expected`, `+` only in `actual`. Empty when they are equal. */
export function differences(expected: GraphText, actual: GraphText): string[] {
  return [...difference(expected.nodes, actual.nodes), ...difference(expected.relationships, actual.relationships)]
}

function difference(expected: readonly string[], actual: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const text of expected) counts.set(text, (counts.get(text) ?? 0) + 1)
  for (const text of actual) counts.set(text, (counts.get(text) ?? 0) - 1)
  return [...counts].flatMap(([text, count]) => Array(Math.abs(count)).fill(`${count > 0 ? '-' : '+'} ${text}`))
}
