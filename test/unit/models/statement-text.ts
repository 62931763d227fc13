import { expect } from 'vitest'
import type { ModelStatement } from '../../../shared/models/statements.ts'

export const time = expect.stringMatching(/Z$/)

/** The properties of a record of this type that `ann` has just created. */
export const made = (type: string) => ({
  id: expect.any(BigInt),
  grn: expect.stringMatching(`^grn:gg:${type}:`),
  enver: 0n,
  createdAt: time,
  updatedAt: time,
  createdBy: 'ann',
  lastModifiedBy: 'ann',
})

/** How each write begins: it locks the manager of the record, then matches the record again. */
const lock = `MATCH (n:GraphPacketsRecord {grn: $value})
WHERE NOT (n)-[:GRAPH_PACKETS_PART_OF*0..]->(:GraphPacketsDeleted)
MATCH (n)-[:GRAPH_PACKETS_PART_OF*0..]->(model:GraphPacketsManager)
WITH model LIMIT 1
SET model.lock = true
WITH model
MATCH (n:GraphPacketsRecord {grn: $value})
WHERE NOT (n)-[:GRAPH_PACKETS_PART_OF*0..]->(:GraphPacketsDeleted)
`

/** The text of a write, with the lock abbreviated. */
export const withoutLock = ({ query }: ModelStatement): string => query.replace(lock, '(lock)\n')
