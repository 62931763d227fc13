import { randomInt } from 'node:crypto'
import { newGrn } from './grn.ts'
import type { Resource, ResourceFields } from './resources.ts'

/** A record as clients see it. Seed, Manager-area resources. The order of the keys matters (contract 10). */
export interface ModelRecord extends ResourceFields {
  id: number
  labels: readonly string[]
  enver: number
  createdAt: string
  updatedAt: string
  createdBy: string
  lastModifiedBy: string
  grn: string
  grnType: string
  label: string
}

const commonFields = ['id', 'enver', 'createdAt', 'updatedAt', 'createdBy', 'lastModifiedBy', 'grn'] as const

/** A flag that older records do not have. */
const isYoung = (field: string) => field === 'sensitive'

type Described = Pick<Resource, 'fields' | 'alwaysNull' | 'grnType' | 'label'>

const storedFields = ({ fields, alwaysNull }: Described) => [
  ...commonFields,
  ...fields.filter((field) => !alwaysNull.includes(field)),
]

/**
 * The columns from which `recordOf` builds a record: from a node or, for fields not stored on it, from expressions.
 * They are scalars, because the driver reads them in half the time of a node.
 */
export const columnsOf = (resource: Described, node: string, expressions: Readonly<Record<string, string>> = {}) =>
  storedFields(resource)
    .map((field) => expressions[field] ?? (isYoung(field) ? `coalesce(${node}.${field}, false)` : `${node}.${field}`))
    .join(', ')

/** @param row contains the columns of `columnsOf` from index `start` on */
export function recordOf(resource: Described, row: readonly unknown[], start = 0): ModelRecord {
  let at = start
  const record: ResourceFields = { id: row[at++], labels: [] }
  for (const field of commonFields.slice(1)) record[field] = row[at++]
  for (const field of resource.fields) record[field] = resource.alwaysNull.includes(field) ? null : row[at++]
  return Object.assign(record as ModelRecord, { grnType: resource.grnType, label: resource.label })
}

/** Number of columns of a record. */
export const widthOf = (resource: Described): number => storedFields(resource).length

/**
 * Properties of every new node. The id is random: the database reuses its own ids after a delete, and a counter would
 * be a lock shared by all creates. 48 bits fit a JSON number; a constraint ensures uniqueness.
 */
export const newIdentity = ({ grnType }: Pick<Resource, 'grnType'>, by: string) => {
  const now = new Date().toISOString()
  return {
    id: BigInt(randomInt(2 ** 48 - 1)),
    grn: newGrn(grnType),
    enver: 0n,
    createdAt: now,
    updatedAt: now,
    createdBy: by,
    lastModifiedBy: by,
  }
}
