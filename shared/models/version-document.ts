import { setImmediate } from 'node:timers/promises'
import type { z } from 'zod'
import type { Issue } from '../errors/app-error.ts'
import { maxIssues } from '../errors/app-error.ts'
import { invalidRequest } from '../errors/catalogue.ts'
import { issuesOf } from '../validation/issues.ts'
import { documentedNodeType, documentedProperty } from './fields.ts'
import { flags, type Resource, type ResourceFields } from './resources.ts'

type KeyedRecord = ResourceFields & { key: string }

/** The contents of a version. An absent field is null or false. */
export interface VersionDocument {
  properties: readonly KeyedRecord[]
  nodeTypes: readonly (KeyedRecord & { properties: readonly KeyedRecord[] })[]
}

const yieldEveryMs = 20

/**
 * Validates all elements of a document. Yields to the event loop while checking, because documents may be large.
 * @throws invalidRequest (400) with the violations, up to a limit
 */
export async function checkedDocument(given: Record<'properties' | 'nodeTypes', readonly unknown[]>) {
  const issues: Issue[] = []
  let yieldedAt = performance.now()
  async function checked<T extends KeyedRecord>(schema: z.ZodType<T>, elements: readonly unknown[], path: string) {
    const keys = new Set<string>()
    const valid: T[] = []
    for (const [index, element] of elements.entries()) {
      const at = `${path}[${index}]`
      const { data, error } = schema.safeParse(element, { reportInput: true })
      for (const { path: below, message } of error ? issuesOf(error, schema) : [])
        issues.push({ path: below === '' ? at : `${at}.${below}`, message })
      if (data && keys.has(data.key)) issues.push({ path: `${at}.key`, message: 'must not be that of another one' })
      if (data) keys.add(data.key)
      if (data) valid.push(data)
      if (issues.length > maxIssues) throw invalidRequest(issues)
      if (performance.now() - yieldedAt < yieldEveryMs) continue
      await setImmediate()
      yieldedAt = performance.now()
    }
    return { valid, keys }
  }
  const properties = await checked(documentedProperty, given.properties, 'properties')
  const nodeTypes = await checked(documentedNodeType, given.nodeTypes, 'nodeTypes')
  for (const [at, type] of nodeTypes.valid.entries()) {
    const own = new Set<string>()
    for (const [index, { key }] of type.properties.entries()) {
      const path = `nodeTypes[${at}].properties[${index}].key`
      if (!properties.keys.has(key)) issues.push({ path, message: 'must be the key of one of the properties' })
      if (own.has(key)) issues.push({ path, message: 'must not be that of another one' })
      own.add(key)
    }
  }
  if (issues.length > 0) throw invalidRequest(issues)
  return { properties: properties.valid, nodeTypes: nodeTypes.valid } satisfies VersionDocument
}

/** The stored fields of a resource, without its key. */
export const documentFields = ({ fields, alwaysNull }: Resource): string[] =>
  fields.filter((field) => field !== 'key' && !alwaysNull.includes(field))

/** All stored fields. Absent fields become null or false. */
export const completed = (resource: Resource, given: ResourceFields): ResourceFields =>
  Object.fromEntries(
    documentFields(resource).map((field) => [field, given[field] ?? (flags.includes(field) ? false : null)]),
  )

/** Omits fields that are null or false. */
export const shortened = (key: unknown, fields: readonly string[], values: readonly unknown[]): KeyedRecord => ({
  key: String(key),
  ...Object.fromEntries(
    fields.flatMap((field, at) => {
      const value = values[at]
      return value === null || value === undefined || value === false ? [] : [[field, value]]
    }),
  ),
})
