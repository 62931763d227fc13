import { type GrnType, grnTypeOf } from './grn.ts'

export type ResourceFields = Record<string, unknown>

/** Description of one kind of record, enough for most operations. Seed, Manager-area resources. */
export interface Resource {
  grnType: GrnType
  /** The record's `label`; the node label in the database is derived from it. */
  label: string
  /** The JSON keys that wrap one record and a list of them. */
  one: string
  many: string
  /** The kind's name in messages. */
  noun: string
  /** Sort order of lists. */
  sortedBy: readonly string[]
  /** The kind's own fields, in the record's order. */
  fields: readonly string[]
  /** Fields that are null in every record and not stored. */
  alwaysNull: readonly string[]
  /** Fields of a new record, given the fields that were sent. */
  atCreation(sent: ResourceFields): ResourceFields
}

export const manager: Resource = {
  grnType: 'manager',
  label: 'Manager',
  one: 'manager',
  many: 'managers',
  noun: 'manager',
  sortedBy: ['name'],
  fields: ['name', 'org'],
  alwaysNull: ['org'],
  atCreation: (sent) => sent,
}

export const managerVersion: Resource = {
  grnType: 'managerversion',
  label: 'ManagerVersion',
  one: 'managerVersion',
  many: 'managerVersions',
  noun: 'manager version',
  sortedBy: ['number'],
  fields: ['name', 'manager', 'number'],
  alwaysNull: [],
  atCreation: (sent) => sent,
}

export const property: Resource = {
  grnType: 'property',
  label: 'Property',
  one: 'property',
  many: 'properties',
  noun: 'property',
  sortedBy: ['key'],
  fields: ['key', 'dataType', 'definition', 'displayValue', 'managerVersion', 'editable', 'deletable'],
  alwaysNull: ['managerVersion'],
  // Seed, note 1: these three are fixed in a new record, whatever was sent.
  atCreation: ({ definition, ...sent }) => ({ ...sent, editable: false, deletable: false }),
}

export const nodeType: Resource = {
  grnType: 'nodetype',
  label: 'NodeType',
  one: 'nodeType',
  many: 'nodeTypes',
  noun: 'node type',
  sortedBy: ['key'],
  fields: ['key', 'namespace', 'definition', 'displayValue', 'managerVersion'],
  alwaysNull: ['managerVersion'],
  atCreation: (sent) => sent,
}

/** The fields that are true or false. */
export const flags = ['unique', 'indexed', 'required', 'editable', 'deletable', 'sensitive']

export const propertyImpl: Resource = {
  grnType: 'propertyimpl',
  label: 'PropertyImpl',
  one: 'propertyImpl',
  many: 'propertyImpls',
  noun: 'property implementation',
  sortedBy: ['nodeType', 'property'],
  fields: ['displayValue', ...flags],
  alwaysNull: [],
  atCreation: ({ displayValue }) => ({ displayValue, ...Object.fromEntries(flags.map((flag) => [flag, false])) }),
}

const all = [manager, managerVersion, property, nodeType, propertyImpl]

/** The resource of a grn. @throws Error for a type that the path's schema should have rejected */
export function resourceOf(grn: string): Resource {
  const found = all.find(({ grnType }) => grnType === grnTypeOf(grn))
  if (found === undefined) throw new Error(`no resource has the type of ${grn}`)
  return found
}
