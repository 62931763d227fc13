import * as errors from '../errors/catalogue.ts'
import type { ManagerDatabase } from './database.ts'
import {
  beginImportStatement,
  endImportStatement,
  type GivenImplementation,
  importImplementationsStatement,
  importStatement,
} from './import-statements.ts'
import { afterPage, type ModelPage, orderBy, pageSelection } from './pages.ts'
import { nodeType, property, propertyImpl, type Resource } from './resources.ts'
import type { Selector } from './selector.ts'
import { type ModelStatement, match, nodeLabel, partOf, selection } from './statements.ts'
import { documentFields, shortened, type VersionDocument } from './version-document.ts'

/**
 * Properties, node types and implementations that an import writes in one transaction. Beyond this limit the import
 * runs in steps, and readers see partial results.
 */
const mostAtOnce = 5_000
const stepSize = 1_000
/** Each read of an export ends after the node type with which it reaches one of these numbers. */
const [typesAtOnce, implementationsAtOnce] = [500, 2_000]
const propertiesAtOnce = 500

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
): Generator<() => ModelStatement> {
  for (const given of slices(properties)) yield () => importStatement(property, version, given, by)
  const types = nodeTypes.map(({ properties: _, ...type }) => type)
  for (const given of slices(types)) yield () => importStatement(nodeType, version, given, by)
  const implementations = nodeTypes.flatMap(({ key, properties: own }) =>
    own.map((implementation): GivenImplementation => ({ nodeType: key, implementation })),
  )
  for (const given of slices(implementations)) yield () => importImplementationsStatement(version, given, by)
}

/**
 * Upserts the elements of a document in a version; other elements stay unchanged. Large imports run in steps: readers
 * see partial results, and repeating the import completes an interrupted one.
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

/** The fields of each kind that a read of a version returns, in addition to the keys. */
type FieldsOf = (resource: Resource) => readonly string[]

/** The fields that a publish needs of its model. They exclude texts, which may be a hundred times as long. */
const bindingFields: FieldsOf = (resource) =>
  resource === property ? ['dataType'] : resource === propertyImpl ? ['unique', 'indexed', 'required', 'sensitive'] : []

const columns = (node: string, fields: readonly string[]) => ['key', ...fields].map((field) => `${node}.${field}`)

/** The next properties after a key. @returns one row each: columns */
const propertiesStatement = (version: Selector, fieldsOf: FieldsOf, page: ModelPage): ModelStatement => ({
  query: `${match(version)}
MATCH (n)<-[:${partOf}]-(part:${nodeLabel(property)})${afterPage(['part.key'], page)}
RETURN ${columns('part', fieldsOf(property)).join(', ')}
${orderBy(['part.key'], page)}`,
  parameters: { ...selection(version), ...pageSelection(page) },
})

/** The next node types after a key, with implementations. @returns one row each: lists of columns, then columns */
const nodeTypesStatement = (version: Selector, fieldsOf: FieldsOf, after: string | null): ModelStatement => ({
  query: `${match(version)}
MATCH (n)<-[:${partOf}]-(t:${nodeLabel(nodeType)})
WHERE $after IS NULL OR t.key > $after
WITH t ORDER BY t.key LIMIT ${typesAtOnce}
WITH collect([t, size([(t)<-[:${partOf}]-(i) | 1])]) AS sized
UNWIND range(0, size(sized) - 1) AS at
WITH sized[at][0] AS t, reduce(before = 0, one IN sized[0..at] | before + one[1]) AS before
WHERE before < ${implementationsAtOnce}
OPTIONAL MATCH (t)<-[:${partOf}]-(i:${nodeLabel(propertyImpl)})-[:${partOf}]->(p:${nodeLabel(property)})
WITH t, i, p ORDER BY p.key
WITH t, collect([p.key, ${fieldsOf(propertyImpl)
    .map((field) => `i.${field}`)
    .join(', ')}]) AS implemented
RETURN implemented, ${columns('t', fieldsOf(nodeType)).join(', ')}
ORDER BY t.key`,
  parameters: { ...selection(version), after },
})

type Read = ManagerDatabase['read']

/** Streams a version's document: all properties first. */
export const exportOf = (read: Read, version: Selector) => documentOf(read, version, documentFields)

/** Streams the part of a version's document that a publish needs. */
export const bindingOf = (read: Read, version: Selector) => documentOf(read, version, bindingFields)

async function* documentOf(read: Read, version: Selector, fieldsOf: FieldsOf): AsyncGenerator<VersionDocument> {
  const keyed = (resource: Resource, [key, ...values]: readonly unknown[]) => shortened(key, fieldsOf(resource), values)
  const keys = new Set<unknown>()
  for (let after: string | null = null; ; ) {
    const page = { limit: propertiesAtOnce, after: after === null ? null : [after] }
    const rows = await read(propertiesStatement(version, fieldsOf, page))
    const properties = rows.map((row) => keyed(property, row))
    for (const { key } of properties) keys.add(key)
    yield { properties, nodeTypes: [] }
    if (rows.length < page.limit) break
    after = properties.at(-1)?.key as string
  }
  for (let after: string | null = null; ; ) {
    const rows = await read(nodeTypesStatement(version, fieldsOf, after))
    const nodeTypes = (rows as [unknown[][], ...unknown[]][]).map(([implemented, ...type]) => ({
      ...keyed(nodeType, type),
      // Omit implementations of properties that were created after the properties were read.
      properties: implemented.flatMap((own) => (keys.has(own[0]) ? [keyed(propertyImpl, own)] : [])),
    }))
    yield { properties: [], nodeTypes }
    if (rows.length === 0) return
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
