import type { Resource } from './resources.ts'
import * as resources from './resources.ts'

/** Selects one record by its grn or by its unique key. */
export interface Selector {
  resource: Resource
  by: 'grn' | 'uniqueKey'
  value: string
  /** The grn of a record that must contain it, at any depth. */
  within?: string
  /** The record's manager must belong to one of these orgs; absent: no restriction. */
  orgs?: readonly string[]
  /** The record's name in messages. */
  description: string
}

/** Prefix of a unique key: kind, scope of uniqueness ('' is global); the name follows. */
export const uniqueScope = ({ grnType }: Resource, scope = ''): string => `${grnType}|${scope}|`

export const byGrn = (resource: Resource, grn: string, within?: string): Selector => ({
  resource,
  by: 'grn',
  value: grn,
  ...(within === undefined ? {} : { within }),
  description: `${resource.noun} "${grn}"${within === undefined ? '' : ` in "${within}"`}`,
})

/** Selects a manager or a manager version. */
export const byName = (resource: Resource, name: string): Selector => ({
  resource,
  by: 'uniqueKey',
  value: uniqueScope(resource) + name,
  description: `${resource.noun} named "${name}"`,
})

/** Selects a property or a node type of a manager version. */
export const byKey = (resource: Resource, managerVersionGrn: string, key: string): Selector => ({
  resource,
  by: 'uniqueKey',
  value: uniqueScope(resource, managerVersionGrn) + key,
  description: `${resource.noun} with the key "${key}" in the manager version "${managerVersionGrn}"`,
})

/** Selects the implementation of a property on a node type. */
export const byEnds = (nodeTypeGrn: string, propertyGrn: string, within?: string): Selector => ({
  resource: resources.propertyImpl,
  by: 'uniqueKey',
  value: uniqueScope(resources.propertyImpl, nodeTypeGrn) + propertyGrn,
  ...(within === undefined ? {} : { within }),
  description: `implementation of the property "${propertyGrn}" on the node type "${nodeTypeGrn}"${within === undefined ? '' : ` in "${within}"`}`,
})
