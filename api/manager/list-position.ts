import * as errors from '../../shared/errors/catalogue.ts'
import { managerVersion, type Resource } from '../../shared/models/resources.ts'

type Position = (string | number)[] | null

/** The `next` of a list: the sort values of its last record. */
export const positionText = (position: Position): string => Buffer.from(JSON.stringify(position)).toString('base64url')

/** @throws invalidRequest (400) */
export function parsePosition({ sortedBy }: Resource, after: string): (string | number)[] {
  const message = 'must be the `next` of another answer of this list'
  try {
    const position: unknown = JSON.parse(Buffer.from(after, 'base64url').toString())
    // Versions are sorted by their field "number", all other records by texts.
    const isSortValue = (value: unknown, index: number) =>
      sortedBy[index] === managerVersion.sortedBy[0] ? Number.isSafeInteger(value) : typeof value === 'string'
    if (Array.isArray(position) && position.length === sortedBy.length && position.every(isSortValue)) return position
  } catch {}
  throw errors.invalidRequest([{ path: 'after', message }])
}
