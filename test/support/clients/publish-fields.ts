/** What tests of the rules, within the process and over HTTP, say about the fields of a publish request. */

export const booleanFields = [
  'hardFilterRelationships',
  'preventCleanup',
  'metadata',
  'timestampRelationships',
  'relationshipDeleteOnly',
  'deleteRelationshipById',
  'postbackTimestamp',
  'returnOnly',
]

/** Fields with a fixed set of values, as the error lists them. */
export const choiceFields = [
  ['parameterSyntax', 'braces, dollar'],
  ['onUnpublishable', 'fail, skip'],
  ['numbers', 'plain, strict'],
  ['compression', 'none, gzip'],
] as const

/** Unknown fields, and the known one that the error suggests. */
export const misspelledFields = [
  ['preventCleanUp', 'preventCleanup'],
  ['PREVENTCLEANUP', 'preventCleanup'],
  ['originId', 'originIds'],
  ['relationshipsIds', 'relationshipIds'],
  ['mappedIndexes', 'mappedIndices'],
  ['protectedProperties', 'protectedNodeProperties'],
  ['filename', 'fileName'],
] as const

/** Unknown fields that resemble no known one. */
export const unknownFields = ['forceOverwrite', 'toString', 'x']
