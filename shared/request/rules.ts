import { packetNameProblem } from '../../packet/names.ts'
import type { Issue } from '../errors/app-error.ts'
import { maxIssues } from '../errors/app-error.ts'
import { shown } from '../validation/issues.ts'
import { brokenRules, optionRules, selectionRules } from './field-rules.ts'
import { type FieldsRead, type PublishRequest, readFields } from './fields.ts'
import { idPropertiesOf, idPropertyOf } from './identity.ts'
import { maskIssues } from './mask/mask-rules.ts'
import { everyLabel, literal } from './select.ts'

/**
 * Different ids of a publish or a sub-request. Beyond this limit the answer is `400 invalidRequest`. Seed, Limits;
 * contract 4.10.
 */
export const maxIds = 500

interface Options {
  /** Prefix of field paths: '' or `[3]`. */
  at?: string
  /** orgName and fileName may be missing here; a multi's sub-requests share them. */
  sharesStorage?: boolean
  /** orgName and fileName may be missing altogether. */
  isDryRun?: boolean
}

/** Violations of the rules about `mappedIndices`, after a model has completed them. */
export function* rulesOfIndices(fields: PublishRequest): Issues {
  yield* mappedIndexRules({ fields, broken: new Set() })
  yield* propertyRules(fields)
  yield* maskIssues(fields)
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

type Issues = Generator<[path: string, message: string]>

function* rules(read: FieldsRead, { sharesStorage, isDryRun }: Options): Issues {
  const { fields, broken } = read
  const isMissing = (field: keyof PublishRequest) => fields[field] === undefined && !broken.has(field)
  for (const field of ['dbUrl', 'credentials'] as const) if (isMissing(field)) yield [field, 'required']
  if (isMissing('model')) {
    // With `select`, the constraints of the origin may stand for `mappedIndices`.
    if (isMissing('mappedIndices') && isMissing('select')) {
      yield ['mappedIndices', 'required unless model or select is given']
    }
    yield* mappedIndexRules(read)
  }
  yield* brokenRules(selectionRules, read)
  yield* idRules(fields)
  yield* brokenRules(optionRules, read)
  yield* propertyRules(fields)
  yield* maskIssues(fields)
  if (fields.returnOnly && isDryRun)
    yield ['returnOnly', 'must not be true together with dryRun, which returns no packet']
  if (fields.returnOnly !== true && !sharesStorage && !isDryRun) {
    for (const field of ['orgName', 'fileName'] as const)
      if (isMissing(field)) yield [field, 'required unless returnOnly is true']
  }
  const { orgName, fileName } = fields
  const problem = orgName !== undefined && fileName !== undefined && packetNameProblem(orgName, fileName)
  if (problem) yield ['fileName', problem]
}

const defaults = { DEFAULT_INDEX: 'the label of originIds', DEFAULT_ID_FIELD: 'the property that identifies its nodes' }

export function* mappedIndexRules({ fields, broken }: Pick<FieldsRead, 'fields' | 'broken'>): Issues {
  const { mappedIndices, index, select } = fields
  if (mappedIndices === undefined) return
  const { DEFAULT_INDEX, DEFAULT_ID_FIELD } = mappedIndices
  // A selection names its labels; a default is then only for nodes with several.
  const areNeeded = select === undefined || DEFAULT_INDEX !== undefined || DEFAULT_ID_FIELD !== undefined
  for (const [key, what] of Object.entries(defaults)) {
    if (areNeeded && mappedIndices[key] === undefined) yield [`mappedIndices.${key}`, `required, ${what}`]
  }
  for (const [at, { label }] of (select ?? []).entries()) {
    const name = literal(label)
    const isMapped = label === everyLabel || name === DEFAULT_INDEX || idPropertyOf(mappedIndices, name) !== undefined
    if (!isMapped) yield [`select[${at}].label`, `must be a label in mappedIndices or the value of DEFAULT_INDEX`]
  }
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

function* idRules({ originIds, relationshipIds }: FieldsRead['fields']): Issues {
  const ids = distinctUpTo(mostCounted, originIds) + distinctUpTo(mostCounted, relationshipIds)
  if (ids <= maxIds) return
  const there = ids < mostCounted ? `there are ${ids}` : `there are ${mostCounted} or more`
  const message = `at most ${maxIds} ids, originIds and relationshipIds together; ${there}, use POST /1.0/publish/multi`
  yield ['originIds', message]
}

// Above this, the exact number does not help.
const mostCounted = 10_000

function distinctUpTo(most: number, values: readonly string[] = []): number {
  const seen = new Set<string>()
  for (let index = 0; index < values.length && seen.size < most; index++) seen.add(values[index] as string)
  return seen.size
}

/** Properties that an option must not name, because of what another field does with them. */
function* propertyRules(fields: FieldsRead['fields']): Issues {
  const { mappedIndices = {}, relationshipIdField, protectedNodeProperties } = fields
  const usesTimestamp = fields.timestampRelationships || fields.postbackTimestamp
  const stamp = usesTimestamp ? fields.timestampProperty : undefined
  const idProperties = idPropertiesOf(mappedIndices)
  const protectedKeys = new Set(protectedNodeProperties)
  const idProperty = { has: (key: string) => idProperties.has(key), what: 'an id property of mappedIndices' }
  const idField = { has: (key: string) => key === relationshipIdField, what: 'the relationshipIdField' }
  const stamped = { has: (key: string) => key === stamp, what: 'the timestampProperty' }
  const kept = { has: (key: string) => protectedKeys.has(key), what: 'which protectedNodeProperties protects' }
  const options = [
    // A stamp would replace the id: every element would end up with the same one.
    ['timestampProperty', 'be', stamp === undefined ? [] : [stamp], [idProperty, idField]],
    ['deleteProperties', 'name', new Set(fields.deleteProperties), [idProperty, kept]],
    ['protectedNodeProperties', 'name', protectedKeys, [idProperty, stamped]],
    ['protectedRelationshipProperties', 'name', new Set(fields.protectedRelationshipProperties), [idField, stamped]],
  ] as const
  for (const [field, verb, keys, others] of options) {
    for (const key of keys) {
      for (const { has, what } of others) if (has(key)) yield [field, `must not ${verb} "${shown(key)}", ${what}`]
    }
  }
}
