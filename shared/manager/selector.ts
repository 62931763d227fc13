import type { Resource } from './resources.ts'
import * as resources from './resources.ts'

/** Names one record: by its grn, or by the text that no two records share. */
export interface Selector {
  resource: Resource
  by: 'grn' | 'uniqueKey'
  value: string
  /** The grn of a record that it must be part of, at whatever depth. */
  within?: string
  /** The orgs of which the record's manager must be one; absent: any org, or none. */
  orgs?: readonly string[]
  /** How messages name it. */
  told: string
}

/** Uniqueness of names and keys is that of one text: kind, what the name is unique in ('' is everywhere), name. */
export const uniqueScope = ({ grnType }: Resource, scope = ''): string => `${grnType}|${scope}|`

export const byGrn = (resource: Resource, grn: string, within?: string): Selector => ({
  resource,
  by: 'grn',
  value: grn,
  ...(within === undefined ? {} : { within }),
  told: `${resource.noun} "${grn}"${within === undefined ? '' : ` in "${within}"`}`,
})

/** A manager or a manager version. */
export const byName = (resource: Resource, name: string): Selector => ({
  resource,
  by: 'uniqueKey',
  value: uniqueScope(resource) + name,
  told: `${resource.noun} named "${name}"`,
})

/** A property or a node type of a manager version. */
export const byKey = (resource: Resource, managerVersionGrn: string, key: string): Selector => ({
  resource,
  by: 'uniqueKey',
  value: uniqueScope(resource, managerVersionGrn) + key,
  told: `${resource.noun} with the key "${key}" in the manager version "${managerVersionGrn}"`,
})

/** The implementation of a property on a node type. */
export const byEnds = (nodeTypeGrn: string, propertyGrn: string, within?: string): Selector => ({
  resource: resources.propertyImpl,
  by: 'uniqueKey',
  value: uniqueScope(resources.propertyImpl, nodeTypeGrn) + propertyGrn,
  ...(within === undefined ? {} : { within }),
  told: `implementation of the property "${propertyGrn}" on the node type "${nodeTypeGrn}"${within === undefined ? '' : ` in "${within}"`}`,
})
