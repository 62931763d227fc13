import * as errors from '../errors/catalogue.ts'
import type { ManagerDatabase } from './database.ts'
import {
  beginImportStatement,
  endImportStatement,
  type GivenImplementation,
  importImplementationsStatement,
  importStatement,
} from './import-statements.ts'
import { recordOf } from './records.ts'
import { nodeType, property, propertyImpl } from './resources.ts'
import type { Selector } from './selector.ts'
import { match, nodeLabel, partOf, partsStatement, type Statement, selection } from './statements.ts'
import { documentFields, shortened, type VersionDocument } from './version-document.ts'

/** Number of properties, node types and implementations up to which an import is one transaction. */
const mostAtOnce = 5_000
const stepSize = 1_000
const typesAtOnce = 50

export interface Imported {
  created: number
  changed: number
  unchanged: number
}

function* slices<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < list.length; from += stepSize) yield list.slice(from, from + stepSize)
}

/** The statements of an import in order, each built only when it runs. */
function* stepsOf(
  version: Selector,
  { properties, nodeTypes }: VersionDocument,
  by: string,
): Generator<() => Statement> {
  for (const given of slices(properties)) yield () => importStatement(property, version, given, by)
  const types = nodeTypes.map(({ properties: _, ...type }) => type)
  for (const given of slices(types)) yield () => importStatement(nodeType, version, given, by)
  const implementations = nodeTypes.flatMap(({ key, properties: own }) =>
    own.map((implementation): GivenImplementation => ({ nodeType: key, implementation })),
  )
  for (const given of slices(implementations)) yield () => importImplementationsStatement(version, given, by)
}

/**
 * Upserts the elements of a document in a version; others stay unchanged. Large imports run in steps: readers see
 * partial results, and repeating the import completes an interrupted one.
 * @throws noSuchRecord (404)
 */
export async function importInto(
  write: ManagerDatabase['write'],
  version: Selector,
  document: VersionDocument,
  by: string,
): Promise<Imported> {
  const { properties, nodeTypes } = document
  const size = nodeTypes.reduce((sum, type) => sum + 1 + type.properties.length, properties.length)
  const steps = [...stepsOf(version, document, by)]
  const end = () => endImportStatement(version)
  const total = { read: 0, created: 0, changed: 0 }
  const add = (rows: readonly (readonly unknown[])[]) => {
    for (const [read, created, changed] of rows as [number, number, number][])
      if (changed !== undefined)
        [total.read, total.created, total.changed] = [
          total.read + read,
          total.created + created,
          total.changed + changed,
        ]
  }
  if (size <= mostAtOnce) {
    add(await write(() => [...steps, end].map((step) => step())))
  } else {
    await write(() => beginImportStatement(version))
    for (const step of steps) add(await write(step))
    await write(end)
  }
  // The version, or an end of an implementation, was deleted concurrently.
  if (total.read < size) throw errors.noSuchRecord(version.description)
  return { created: total.created, changed: total.changed, unchanged: size - total.created - total.changed }
}

/** Copies another version into a new one, in steps; index policies ignore it until the copy is complete. */
export async function copyInto({ read, write }: ManagerDatabase, version: Selector, source: Selector, by: string) {
  await write(() => beginImportStatement(version))
  for await (const part of exportOf(read, source)) for (const step of stepsOf(version, part, by)) await write(step)
  await write(() => endImportStatement(version))
}

/** Node types after a key, with implementations. @returns one row each: columns, then lists of columns */
const nodeTypesStatement = (version: Selector, after: string | null): Statement => ({
  query: `${match(version)}
MATCH (n)<-[:${partOf}]-(t:${nodeLabel(nodeType)})
WHERE $after IS NULL OR t.key > $after
WITH t ORDER BY t.key LIMIT ${typesAtOnce}
OPTIONAL MATCH (t)<-[:${partOf}]-(i:${nodeLabel(propertyImpl)})-[:${partOf}]->(p:${nodeLabel(property)})
WITH t, i, p ORDER BY p.key
WITH t, collect([p.key, ${documentFields(propertyImpl).map((field) => `i.${field}`)}]) AS implemented
RETURN t.key, implemented, ${documentFields(nodeType).map((field) => `t.${field}`)}
ORDER BY t.key`,
  parameters: { ...selection(version), after },
})

/** Streams a version's document: all properties first. */
export async function* exportOf(read: ManagerDatabase['read'], version: Selector): AsyncGenerator<VersionDocument> {
  const keys = new Set<unknown>()
  for (let after: string | null = null; ; ) {
    const page = { limit: 1_000, after: after === null ? null : [after] }
    const rows: (readonly unknown[])[] = await read(partsStatement(property, version, page))
    const records = rows.filter(([id]) => id !== null).map((row) => recordOf(property, row))
    for (const { key } of records) keys.add(key)
    yield {
      properties: records.map((record) =>
        shortened(
          record.key,
          property,
          documentFields(property).map((field) => record[field]),
        ),
      ),
      nodeTypes: [],
    }
    if (records.length < page.limit) break
    after = records.at(-1)?.key as string
  }
  for (let after: string | null = null; ; ) {
    const rows = await read(nodeTypesStatement(version, after))
    const nodeTypes = (rows as [string, unknown[][], ...unknown[]][]).map(([key, implemented, ...fields]) => ({
      ...shortened(key, nodeType, fields),
      // Omit properties created after the properties were read.
      properties: implemented.flatMap(([of, ...own]) => (keys.has(of) ? [shortened(of, propertyImpl, own)] : [])),
    }))
    yield { properties: [], nodeTypes }
    if (rows.length < typesAtOnce) return
    after = nodeTypes.at(-1)?.key as string
  }
}

/** An export as JSON text. */
export async function* textOf(parts: AsyncIterable<VersionDocument>): AsyncGenerator<string> {
  let separator = '{"properties":['
  let isInTypes = false
  for await (const { properties, nodeTypes } of parts) {
    for (const one of properties) {
      yield separator + JSON.stringify(one)
      separator = ','
    }
    if (nodeTypes.length > 0 && !isInTypes) {
      isInTypes = true
      separator = `${separator === ',' ? '' : separator}],"nodeTypes":[`
    }
    for (const one of nodeTypes) {
      yield separator + JSON.stringify(one)
      separator = ','
    }
  }
  if (!isInTypes) yield `${separator === ',' ? '' : separator}],"nodeTypes":[`
  yield ']}'
}
