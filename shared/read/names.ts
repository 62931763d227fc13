import { byCodePoint, isQuotable, unquotable } from '../../packet/cypher/identifiers.ts'
import type { OriginNames } from '../../wire/origin-names.ts'
import type { Origin } from '../origin/connect.ts'
import { malformed } from '../origin/origin-cursor.ts'
import { readUniqueness } from './schema.ts'

/**
 * Labels, types, and unique properties that a search for the names of an origin answers. Beyond this limit `isCut` says
 * that there are more.
 */
const mostNames = 1_000

/** Characters of a label, type or property in that answer. Beyond this limit the name is left out. */
const longestOffered = 1_000

/** Reads the names that a request may want, sorted by code point. Contract 7.15. @throws the 502 errors of the catalogue */
export async function readNames(origin: Origin): Promise<OriginNames> {
  const labels = await namesOf(origin, 'db.labels', 'label')
  const relationshipTypes = await namesOf(origin, 'db.relationshipTypes', 'relationshipType')
  const unique = await readUniqueness(origin)
  const identities = [...(unique ?? [])]
    .flatMap(([label, properties]) => [...properties].map((property) => ({ label, property })))
    .filter(({ label, property }) => isOffered(label) && isOffered(property))
    .sort((one, other) => byCodePoint(one.label, other.label) || byCodePoint(one.property, other.property))
  return {
    labels: labels.filter(isOffered).slice(0, mostNames),
    relationshipTypes: relationshipTypes.filter(isOffered).slice(0, mostNames),
    identities: unique && identities.slice(0, mostNames),
    isCut: [labels, relationshipTypes, identities].some(({ length }) => length > mostNames),
  }
}

const isOffered = (name: string) => name.length <= longestOffered && isQuotable(name)

/** Names that may be offered, and one more than an answer has. */
async function namesOf(origin: Origin, procedure: string, column: string): Promise<string[]> {
  const names: string[] = []
  const query = `CALL ${procedure}() YIELD ${column} WITH ${column}
    WHERE size(${column}) <= ${longestOffered} AND NOT ${column} =~ $unquotable
    RETURN ${column} ORDER BY ${column} LIMIT ${mostNames + 1}`
  await origin.each(query, { unquotable: `(?s).*${unquotable.source}.*` }, (row) => {
    const name = row.text()
    // Another kind of server may ignore these limits. Some count a character of two UTF-16 units once.
    if (names.length > mostNames || name.length > 2 * longestOffered)
      throw malformed('more is named than was asked for')
    names.push(name)
  })
  return names.sort(byCodePoint)
}
