import { byCodePoint } from '../../packet/cypher/identifiers.ts'
import type { OriginNames } from '../../wire/origin-names.ts'
import type { Origin } from '../origin/connect.ts'
import { readUniqueness } from './schema.ts'

/**
 * Labels, and relationship types, that a search for the names of an origin answers. Beyond this limit `isCut` says that
 * there are more.
 */
const mostNames = 1_000

/** Reads the names that a request may want, sorted by code point. Contract 7.15. @throws the 502 errors of the catalogue */
export async function readNames(origin: Origin): Promise<OriginNames> {
  const labels = await namesOf(origin, 'db.labels', 'label')
  const relationshipTypes = await namesOf(origin, 'db.relationshipTypes', 'relationshipType')
  const known = new Set(labels)
  const unique = await readUniqueness(origin)
  const identities =
    unique && [...unique].flatMap(([label, properties]) => (known.has(label) ? pairs(label, properties) : []))
  const isCut = labels.length > mostNames || relationshipTypes.length > mostNames
  return {
    labels: labels.slice(0, mostNames),
    relationshipTypes: relationshipTypes.slice(0, mostNames),
    identities: identities?.toSorted((one, other) => byCodePoint(one.label, other.label)).slice(0, mostNames) ?? null,
    isCut,
  }
}

const pairs = (label: string, properties: Iterable<string>) =>
  [...properties].sort(byCodePoint).map((property) => ({ label, property }))

async function namesOf(origin: Origin, procedure: string, column: string): Promise<string[]> {
  const names: string[] = []
  const query = `CALL ${procedure}() YIELD ${column} RETURN ${column} ORDER BY ${column} LIMIT ${mostNames + 1}`
  await origin.each(query, {}, (row) => names.push(row.text()))
  return names.sort(byCodePoint)
}
