import { randomBytes } from 'node:crypto'
import type { Neo4jAddress } from './stack/stack.ts'

/** A unique name for labels, orgs and files. */
export const uniqueName = (prefix: string): string => `${prefix}${randomBytes(5).toString('hex')}`

/** The request fields that name the database to read and the identity of its nodes. */
export function database(origin: Neo4jAddress, label: string, idProperty: string, others: Record<string, string> = {}) {
  return {
    dbUrl: origin.boltUrl,
    credentials: `Basic ${Buffer.from(`${origin.username}:${origin.password}`).toString('base64')}`,
    mappedIndices: { DEFAULT_INDEX: label, DEFAULT_ID_FIELD: idProperty, ...others },
  }
}

export const inSlices = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))
