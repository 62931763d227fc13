/** Rules between the fields of requests, as JSON Schema, for the OpenAPI document. `rules.ts` has all rules. */
const given = (field: string) => ({ required: [field] })
const some = (field: string) => ({ ...given(field), properties: { [field]: { minItems: 1 } } })
const isTrue = (field: string) => ({ ...given(field), properties: { [field]: { const: true } } })
const not = (rule: object) => ({ not: rule })
const when = (condition: object, ...rules: object[]) => ({ anyOf: [not(condition), { allOf: rules }] })

const storesNothing = [not(given('expiresAfterDays')), not(given('compression'))]
const hasDefaults = { properties: { mappedIndices: { required: ['DEFAULT_INDEX', 'DEFAULT_ID_FIELD'] } } }

export const publishRules = {
  dependentRequired: { searchFilter: ['searchIdField'], onModelViolation: ['model'] },
  allOf: [
    { anyOf: [given('model'), { allOf: [given('mappedIndices'), hasDefaults] }] },
    { anyOf: [some('originIds'), some('relationshipIds')] },
    { anyOf: [isTrue('metadata'), some('relationships'), some('relationshipIds')] },
    when(isTrue('hardFilterRelationships'), some('originIds')),
    when(isTrue('relationshipDeleteOnly'), some('relationships'), not(isTrue('preventCleanup'))),
    when(
      some('relationshipIds'),
      given('relationshipIdField'),
      isTrue('preventCleanup'),
      not(some('toLayer')),
      not(some('relationships')),
    ),
    when(isTrue('deleteRelationshipById'), given('relationshipIdField')),
    when(isTrue('timestampRelationships'), given('timestampProperty')),
    when(isTrue('postbackTimestamp'), given('timestampProperty')),
    when(some('preventSearch'), given('searchIdField')),
    when(isTrue('returnOnly'), not(given('callbackUrl')), ...storesNothing),
  ],
}

export const nodeDeleteRules = {
  allOf: [
    hasDefaults,
    some('originIds'),
    { anyOf: [given('fileName'), isTrue('returnOnly')] },
    when(isTrue('returnOnly'), ...storesNothing),
  ],
}

export const relationshipCreatesRules = { allOf: [some('idPairs')] }
