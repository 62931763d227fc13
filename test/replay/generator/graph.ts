import { valueText } from '../../../packet/check/shown-value.ts'

/** A graph in memory. Values have the types of the driver: BigInt for integers, number for floats. */
export interface Graph {
  nodes: readonly Node[]
  relationships: readonly Relationship[]
}

export interface Node {
  labels: readonly string[]
  properties: Properties
}

export interface Relationship {
  type: string
  /** Positions in `nodes`. */
  from: number
  to: number
  properties: Properties
}

export type Properties = Readonly<Record<string, unknown>>

/** To Neo4j 5 and 2026 the largest integer equals the float that is larger by one. */
const afterLargest = 2 ** 63
const asNumber = (value: unknown) => (value === afterLargest ? 2n ** 63n - 1n : value)

/** Equality of id values as in Cypher's `=` and `IN`: 5 equals 5.0, not '5'; NaN equals nothing; [5] equals [5.0]. */
export function equalIds(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((element, index) => equalIds(element, b[index]))
  }
  if (typeof a === 'object' && typeof b === 'object' && a !== null && b !== null) return valueText(a) === valueText(b)
  const areNumbers = [a, b].every((value) => typeof value === 'bigint' || typeof value === 'number')
  // biome-ignore lint/suspicious/noDoubleEquals: the one comparison of a BigInt with a number that is exact.
  return areNumbers ? asNumber(a) == asNumber(b) : a === b && a !== undefined
}

export const propertiesText = (properties: Properties): string =>
  `{${Object.entries(properties)
    .map(([key, value]) => `${key}: ${value instanceof Int8Array ? 'bytes' : valueText(value)}`)
    .sort()
    .join(', ')}}`

export const nodeText = ({ labels, properties }: Node): string =>
  `(${[...labels]
    .sort()
    .map((label) => `:${label}`)
    .join('')} ${propertiesText(properties)})`

/** All nodes and relationships as text, to compare graphs with different node numbering. */
export function graphText({ nodes, relationships }: Graph) {
  const texts = nodes.map(nodeText)
  return {
    nodes: texts.toSorted(),
    relationships: relationships
      .map(
        ({ type, from, to, properties }) => `${texts[from]} -[:${type} ${propertiesText(properties)}]-> ${texts[to]}`,
      )
      .sort(),
  }
}

/** A readable form of the graph: numbered nodes, and relationships between those numbers. */
export function describeGraph({ nodes, relationships }: Graph): string {
  return [
    ...nodes.map((node, index) => `  n${index} ${nodeText(node)}`),
    ...relationships.map(
      ({ type, from, to, properties }) => `  n${from} -[:${type} ${propertiesText(properties)}]-> n${to}`,
    ),
  ].join('\n')
}
