import type { Issue } from '../../errors/app-error.ts'
import { maxIssues } from '../../errors/app-error.ts'
import { packetNameProblem } from '../../packet/names.ts'
import { shown } from '../../validation/issues.ts'
import { type FieldsRead, type PublishRequest, readFields } from './fields.ts'
import { idPropertiesOf, idPropertyOf } from './identity.ts'

/**
 * Different ids of a publish or a sub-request. Beyond it the answer is `400 invalidRequest`. Seed, Limits; contract
 * 4.10.
 */
export const maxIds = 500

/** Fields that say how a packet is stored. */
export const storingFields = ['expiresAfterDays', 'compression'] as const
/** Why they are refused together with `returnOnly`. */
export const returnOnlyStoresNothing = 'must not be given together with returnOnly, which stores nothing'

interface Options {
  /** Prefix of field paths: '' or `[3]`. */
  at?: string
  /** orgName and fileName may be missing here; a multi's sub-requests share them. */
  sharesStorage?: boolean
  /** orgName and fileName may be missing altogether. */
  isDryRun?: boolean
}

/** Violations of the rules about `mappedIndices`, after a model has completed them. */
export function* rulesOfIndices(fields: PublishRequest): Generator<[path: string, message: string]> {
  yield* mappedIndexRules({ fields, broken: new Set() })
  yield* propertyRules(fields)
}

/** Validates one publish request: every field, then every rule between fields. Seed, Publish request; contract 4. */
export function parsePublishRequest(
  body: unknown,
  options: Options = {},
): { request: PublishRequest; issues: Issue[] } {
  const { at = '' } = options
  const read = readFields(body, at)
  const inside = (path: string) => (at === '' ? path : `${at}.${path}`)
  for (const [path, message] of rules(read, options)) {
    read.issues.push({ path: inside(path), message })
    if (read.issues.length > maxIssues) break
  }
  return { request: read.fields as PublishRequest, issues: read.issues }
}

const isEmpty = (values: readonly unknown[] | undefined) => values === undefined || values.length === 0

function* rules(
  { fields, broken }: FieldsRead,
  { sharesStorage, isDryRun }: Options,
): Generator<[path: string, message: string]> {
  for (const field of ['dbUrl', 'credentials'] as const) {
    if (fields[field] === undefined && !broken.has(field)) yield [field, 'required']
  }
  if (fields.model === undefined && !broken.has('model')) {
    if (fields.mappedIndices === undefined && !broken.has('mappedIndices')) {
      yield ['mappedIndices', 'required unless model is given']
    }
    yield* mappedIndexRules({ fields, broken })
  }
  if (fields.onModelViolation !== undefined && fields.model === undefined && !broken.has('model')) {
    yield ['onModelViolation', 'needs model']
  }
  yield* selectionRules({ fields, broken })
  yield* cleanupRules(fields)
  yield* propertyRules(fields)
  yield* searchRules(fields)
  if (fields.returnOnly === true && fields.callbackUrl !== undefined) {
    yield ['callbackUrl', 'must not be given together with returnOnly, which makes no job']
  }
  for (const field of storingFields) {
    if (fields.returnOnly === true && fields[field] !== undefined) yield [field, returnOnlyStoresNothing]
  }
  if (fields.returnOnly && isDryRun)
    yield ['returnOnly', 'must not be true together with dryRun, which returns no packet']
  if (fields.returnOnly !== true && !sharesStorage && !isDryRun) {
    for (const field of ['orgName', 'fileName'] as const) {
      if (fields[field] === undefined && !broken.has(field)) yield [field, 'required unless returnOnly is true']
    }
  }
  if (fields.orgName !== undefined && fields.fileName !== undefined) {
    const problem = packetNameProblem(fields.orgName, fields.fileName)
    if (problem) yield ['fileName', problem]
  }
}

const defaults = { DEFAULT_INDEX: 'the label of originIds', DEFAULT_ID_FIELD: 'the property that identifies its nodes' }

export function* mappedIndexRules({
  fields,
  broken,
}: Pick<FieldsRead, 'fields' | 'broken'>): Generator<[string, string]> {
  const { mappedIndices, index } = fields
  if (mappedIndices === undefined) return
  for (const [key, what] of Object.entries(defaults)) {
    if (mappedIndices[key] === undefined) yield [`mappedIndices.${key}`, `required, ${what}`]
  }
  const { DEFAULT_INDEX, DEFAULT_ID_FIELD } = mappedIndices
  const own = idPropertyOf(mappedIndices, DEFAULT_INDEX ?? '')
  if (own !== undefined && DEFAULT_ID_FIELD !== undefined && own !== DEFAULT_ID_FIELD) {
    yield [
      `mappedIndices.${shown(DEFAULT_INDEX ?? '')}`,
      'must agree with DEFAULT_ID_FIELD, as DEFAULT_INDEX names this label',
    ]
  }
  if (index === undefined || broken.has('index')) return
  if (idPropertyOf(mappedIndices, index) === undefined && index !== DEFAULT_INDEX)
    yield ['index', 'must be a label in mappedIndices or the value of DEFAULT_INDEX']
}

function* selectionRules({ fields, broken }: Pick<FieldsRead, 'fields' | 'broken'>): Generator<[string, string]> {
  const { originIds, relationshipIds, relationships, toLayer } = fields
  const missing = (field: 'originIds' | 'relationshipIds' | 'relationships') =>
    isEmpty(fields[field]) && !broken.has(field)
  if (missing('originIds') && missing('relationshipIds')) {
    yield ['originIds', 'required when relationshipIds is empty']
    yield ['relationshipIds', 'required when originIds is empty']
  } else if (missing('originIds') && fields.hardFilterRelationships) {
    yield ['originIds', 'required when hardFilterRelationships is true']
  }
  if (!fields.metadata && !broken.has('metadata') && missing('relationships') && missing('relationshipIds')) {
    yield ['metadata', 'required when relationshipIds and relationships are both empty']
    yield ['relationships', 'required when metadata is not true and relationshipIds is empty']
    yield ['relationshipIds', 'required when metadata is not true and relationships is empty']
  }
  if (fields.relationshipDeleteOnly && missing('relationships')) {
    yield ['relationships', 'required when relationshipDeleteOnly is true']
  }
  if (!isEmpty(relationshipIds)) {
    if (!isEmpty(toLayer)) yield ['toLayer', 'must not be given together with relationshipIds']
    if (!isEmpty(relationships)) yield ['relationships', 'must not be given together with relationshipIds']
    if (fields.preventCleanup !== true && !broken.has('preventCleanup')) {
      yield ['preventCleanup', 'must be true when relationshipIds are given']
    }
  }
  const ids = distinctUpTo(mostCounted, originIds) + distinctUpTo(mostCounted, relationshipIds)
  if (ids > maxIds) {
    const there = ids < mostCounted ? `there are ${ids}` : `there are ${mostCounted} or more`
    yield [
      'originIds',
      `at most ${maxIds} ids, originIds and relationshipIds together; ${there}, use POST /1.0/publish/multi`,
    ]
  }
}

// Above this, the exact number does not help.
const mostCounted = 10_000

function distinctUpTo(most: number, values: readonly string[] = []): number {
  const seen = new Set<string>()
  for (let index = 0; index < values.length && seen.size < most; index++) seen.add(values[index] as string)
  return seen.size
}

function* cleanupRules(fields: FieldsRead['fields']): Generator<[string, string]> {
  if (fields.preventCleanup && fields.relationshipDeleteOnly) {
    yield ['preventCleanup', 'must not be true together with relationshipDeleteOnly']
  }
  if (fields.relationshipIdField === undefined) {
    if (!isEmpty(fields.relationshipIds)) yield ['relationshipIdField', 'required when relationshipIds are given']
    if (fields.deleteRelationshipById) yield ['relationshipIdField', 'required when deleteRelationshipById is true']
  }
  if (fields.timestampProperty === undefined) {
    if (fields.timestampRelationships) yield ['timestampProperty', 'required when timestampRelationships is true']
    if (fields.postbackTimestamp) yield ['timestampProperty', 'required when postbackTimestamp is true']
  }
}

function* propertyRules(fields: FieldsRead['fields']): Generator<[string, string]> {
  const { mappedIndices = {}, protectedNodeProperties = [], protectedRelationshipProperties = [] } = fields
  const protectedKeys = new Set(protectedNodeProperties)
  const idProperties = idPropertiesOf(mappedIndices)
  const usesTimestamp = fields.timestampRelationships || fields.postbackTimestamp
  if (usesTimestamp && fields.timestampProperty !== undefined) {
    const key = fields.timestampProperty
    // A stamp would replace the id: every element would end up with the same one.
    if (idProperties.has(key))
      yield ['timestampProperty', `must not be "${shown(key)}", an id property of mappedIndices`]
    if (key === fields.relationshipIdField)
      yield ['timestampProperty', `must not be "${shown(key)}", the relationshipIdField`]
  }
  for (const key of new Set(fields.deleteProperties)) {
    if (idProperties.has(key))
      yield ['deleteProperties', `must not name "${shown(key)}", an id property of mappedIndices`]
    if (protectedKeys.has(key)) {
      yield ['deleteProperties', `must not name "${shown(key)}", which protectedNodeProperties protects`]
    }
  }
  for (const key of protectedKeys) {
    if (idProperties.has(key))
      yield ['protectedNodeProperties', `must not name "${shown(key)}", an id property of mappedIndices`]
    if (usesTimestamp && key === fields.timestampProperty) {
      yield ['protectedNodeProperties', `must not name "${shown(key)}", the timestampProperty`]
    }
  }
  for (const key of new Set(protectedRelationshipProperties)) {
    if (key === fields.relationshipIdField) {
      yield ['protectedRelationshipProperties', `must not name "${shown(key)}", the relationshipIdField`]
    }
    if (usesTimestamp && key === fields.timestampProperty) {
      yield ['protectedRelationshipProperties', `must not name "${shown(key)}", the timestampProperty`]
    }
  }
}

function* searchRules(fields: FieldsRead['fields']): Generator<[string, string]> {
  if (fields.searchIdField !== undefined) return
  if (fields.searchFilter !== undefined) yield ['searchFilter', 'needs searchIdField']
  if (!isEmpty(fields.preventSearch)) yield ['preventSearch', 'needs searchIdField']
}
