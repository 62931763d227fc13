/** What a field may have to be: as a check, and as JSON Schema. */
interface Condition {
  field: string
  holds: (value: unknown) => boolean
  schema: object
}

const condition = (field: string, holds: Condition['holds'], schema?: object): Condition => ({
  field,
  holds,
  schema: { required: [field], ...(schema ? { properties: { [field]: schema } } : {}) },
})
const given = (field: string) => condition(field, (value) => value !== undefined)
const some = (field: string) => condition(field, (value) => Array.isArray(value) && value.length > 0, { minItems: 1 })
const isTrue = (field: string) => condition(field, (value) => value === true, { const: true })
const no = ({ field, holds, schema }: Condition): Condition => ({
  field,
  holds: (value) => !holds(value),
  schema: { not: schema },
})

/** A rule between fields: one of the conditions must hold. Otherwise each one with a message is reported. */
type Rule = readonly (readonly [condition: Condition, message?: string])[]

/** `when` requires `then`. */
const rule = (when: Condition, then: Condition, message: string): Rule => [[no(when)], [then, message]]

const storedOnly = 'must not be given together with returnOnly, which stores nothing'
const storesNothing = ['expiresAfterDays', 'compression'].map((field) =>
  rule(isTrue('returnOnly'), no(given(field)), storedOnly),
)

/** Rules about what a publish request selects, which the OpenAPI document has, too. `rules.ts` has further rules. */
export const selectionRules: readonly Rule[] = [
  rule(no(given('model')), no(given('onModelViolation')), 'needs model'),
  [
    [some('originIds'), 'required when relationshipIds is empty'],
    [some('relationshipIds'), 'required when originIds is empty'],
    [given('select')],
  ],
  ...['originIds', 'relationshipIds'].map((field) =>
    rule(given('select'), no(some(field)), 'must not be given together with select'),
  ),
  rule(given('select'), no(given('index')), 'must not be given together with select, which names labels'),
  rule(no(given('select')), no(given('maxNodes')), 'needs select'),
  [
    [no(isTrue('hardFilterRelationships'))],
    [no(some('relationshipIds'))],
    [some('originIds'), 'required when hardFilterRelationships is true'],
  ],
  [
    [isTrue('metadata'), 'required when relationshipIds and relationships are both empty'],
    [some('relationships'), 'required when metadata is not true and relationshipIds is empty'],
    [some('relationshipIds'), 'required when metadata is not true and relationships is empty'],
  ],
  rule(isTrue('relationshipDeleteOnly'), some('relationships'), 'required when relationshipDeleteOnly is true'),
  rule(some('relationshipIds'), no(some('toLayer')), 'must not be given together with relationshipIds'),
  rule(some('relationshipIds'), no(some('relationships')), 'must not be given together with relationshipIds'),
  rule(some('relationshipIds'), isTrue('preventCleanup'), 'must be true when relationshipIds are given'),
]

/** Likewise, about its other options. */
export const optionRules: readonly Rule[] = [
  rule(
    isTrue('relationshipDeleteOnly'),
    no(isTrue('preventCleanup')),
    'must not be true together with relationshipDeleteOnly',
  ),
  rule(some('relationshipIds'), given('relationshipIdField'), 'required when relationshipIds are given'),
  rule(isTrue('deleteRelationshipById'), given('relationshipIdField'), 'required when deleteRelationshipById is true'),
  rule(isTrue('timestampRelationships'), given('timestampProperty'), 'required when timestampRelationships is true'),
  rule(isTrue('postbackTimestamp'), given('timestampProperty'), 'required when postbackTimestamp is true'),
  rule(no(given('searchIdField')), no(given('searchFilter')), 'needs searchIdField'),
  rule(no(given('searchIdField')), no(some('preventSearch')), 'needs searchIdField'),
  rule(
    isTrue('returnOnly'),
    no(given('callbackUrl')),
    'must not be given together with returnOnly, which makes no job',
  ),
  rule(no(given('base')), no(given('deleteMissing')), 'needs base'),
  ...[given('base'), isTrue('asBase')].map((one) => rule(isTrue('returnOnly'), no(one), storedOnly)),
  ...storesNothing,
]

export const nodeDeleteRules: readonly Rule[] = [
  [[isTrue('returnOnly')], [given('fileName'), 'required unless returnOnly is true']],
  ...storesNothing,
]

/** The rules that a request breaks. A rule about an invalid field is not judged: the field has its own message. */
export function* brokenRules(
  rules: readonly Rule[],
  { fields, broken }: { fields: object; broken: ReadonlySet<string> },
): Generator<[path: string, message: string]> {
  const values = fields as Readonly<Record<string, unknown>>
  for (const conditions of rules) {
    if (conditions.some(([{ field, holds }]) => broken.has(field) || holds(values[field]))) continue
    for (const [{ field }, message] of conditions) if (message !== undefined) yield [field, message]
  }
}

const schemasOf = (rules: readonly Rule[]) => rules.map((rule) => ({ anyOf: rule.map(([{ schema }]) => schema) }))
const hasDefaults = { properties: { mappedIndices: { required: ['DEFAULT_INDEX', 'DEFAULT_ID_FIELD'] } } }

export const publishSchema = {
  allOf: [
    { anyOf: [given('model').schema, given('select').schema, { required: ['mappedIndices'], ...hasDefaults }] },
    ...schemasOf([...selectionRules, ...optionRules]),
  ],
}
export const nodeDeleteSchema = { allOf: [hasDefaults, some('originIds').schema, ...schemasOf(nodeDeleteRules)] }
export const relationshipCreatesSchema = { allOf: [some('idPairs').schema] }
