import type { Driver } from 'neo4j-driver'
import { run } from '../../../dev/replay/neo4j.ts'
import { uniqueName } from '../../../dev/requests.ts'

export interface ModelSize {
  types: number
  properties: number
  /** Flags set on every implementation, each with its constraint node. */
  constraints?: readonly ('UNIQUE' | 'EXISTS' | 'INDEX')[]
}

const typesAtOnce = 100
const flagOf = { UNIQUE: 'unique', EXISTS: 'required', INDEX: 'indexed' }

/**
 * Fills a version directly in the database, with every property implemented on every node type.
 * @returns the `createdBy` value of its records
 */
export async function drawModel(driver: Driver, versionGrn: string, size: ModelSize): Promise<string> {
  const { types, properties, constraints = [] } = size
  const own = uniqueName('m')
  // Above the 48-bit range of real ids.
  const base = 2 ** 49 + Math.floor(Math.random() * 2 ** 17) * 2 ** 31
  const common = `enver: 0, createdAt: $now, updatedAt: $now, createdBy: $own, lastModifiedBy: $own`
  const at = { versionGrn, own, base, now: new Date().toISOString() }
  const element = (kind: string, label: string, offset: number) => `MATCH (v:GraphPacketsRecord {grn: $versionGrn})
UNWIND range($from, $to - 1) AS number
WITH v, number, $prefix + toString(number) AS key
CREATE (n:GraphPacketsRecord:GraphPackets${label} {id: toInteger($base) + ${offset} + number, grn: 'grn:gg:${kind}:' + $own + '-' + toString(number),
  key: key, scope: '${kind}|' + v.grn + '|', uniqueKey: '${kind}|' + v.grn + '|' + key, ${common}})-[:GRAPH_PACKETS_PART_OF]->(v)`
  const flags = Object.entries(flagOf).map(([type, flag]) => `${flag}: ${constraints.includes(type as 'UNIQUE')}`)
  await run(driver, element('property', 'Property', 0), { ...at, prefix: 'p', from: 0n, to: BigInt(properties) })
  for (let from = 0; from < types; from += typesAtOnce) {
    const part = { ...at, from: BigInt(from), to: BigInt(Math.min(types, from + typesAtOnce)) }
    await run(driver, element('nodetype', 'NodeType', 2 ** 20), { ...part, prefix: 'T' })
    await run(
      driver,
      `UNWIND range($from, $to - 1) AS number
MATCH (t:GraphPacketsRecord {grn: 'grn:gg:nodetype:' + $own + '-' + toString(number)})
UNWIND range(0, $properties - 1) AS of
MATCH (p:GraphPacketsRecord {grn: 'grn:gg:property:' + $own + '-' + toString(of)})
WITH t, p, number * $properties + of AS at
CREATE (t)<-[:GRAPH_PACKETS_PART_OF]-(i:GraphPacketsRecord:GraphPacketsPropertyImpl {id: toInteger($base) + ${2 ** 22} + at, grn: 'grn:gg:propertyimpl:' + $own + '-' + toString(at),
  uniqueKey: 'propertyimpl|' + t.grn + '|' + p.grn, ${flags.join(', ')}, editable: false, deletable: false, ${common}})-[:GRAPH_PACKETS_PART_OF]->(p)
FOREACH (kind IN range(0, size($constraints) - 1) |
  CREATE (i)<-[:GRAPH_PACKETS_PART_OF]-(:GraphPacketsRecord:GraphPacketsConstraint {id: toInteger($base) + ${2 ** 26} + at * 3 + kind,
    grn: 'grn:gg:constraint:' + $own + '-' + toString(at * 3 + kind), type: $constraints[kind],
    uniqueKey: 'constraint|' + i.grn + '|' + $constraints[kind], ${common}}))`,
      { ...part, properties: BigInt(properties), constraints },
    )
  }
  return own
}
