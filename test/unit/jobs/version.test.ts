import { expect, test } from 'vitest'
import { z } from 'zod'
import { storedFields } from '../../../shared/jobs/order.ts'
import { jobVersion, NewerVersionError, requireKnownVersion } from '../../../shared/jobs/version.ts'
import { publishFields } from '../../../shared/request/fields.ts'

const fieldsOfFirst = [
  'bookmarks',
  'database',
  'dbUrl',
  'deleteProperties',
  'deleteRelationshipById',
  'dynamicLabels',
  'fileName',
  'hardFilterRelationships',
  'index',
  'mappedIndices',
  'metadata',
  'model',
  'numbers: plain, strict',
  'onModelViolation: fail, report, omit',
  'onUnpublishable: fail, skip',
  'orgName',
  'originIds',
  'parameterSyntax: braces, dollar',
  'postbackTimestamp',
  'preventCleanup',
  'preventSearch',
  'protectedNodeProperties',
  'protectedRelationshipProperties',
  'relationshipDeleteOnly',
  'relationshipIdField',
  'relationshipIds',
  'relationships',
  'returnOnly',
  'searchFilter',
  'searchIdField',
  'secret',
  'targetFilter',
  'timestampProperty',
  'timestampRelationships',
  'toLayer',
]

/**
 * The fields of a stored request in each version, with the values of those that have a fixed choice. Never change the
 * list of a version that was deployed: its workers know these fields and no others.
 */
const fieldsOfVersion: Record<number, readonly string[]> = {
  1: fieldsOfFirst,
  2: [...fieldsOfFirst, 'maxNodes', 'select'].sort(),
  3: [...fieldsOfFirst, 'maxNodes', 'select'].sort(),
  4: [...fieldsOfFirst, 'mask', 'maxNodes', 'only', 'select'].sort(),
}

const valuesOf = (field: string): string => {
  const schema = publishFields[field as keyof typeof publishFields]
  return schema instanceof z.ZodEnum ? `${field}: ${schema.options.join(', ')}` : field
}

test('a stored request has no field or value that workers of its version may not know', () => {
  expect(
    [...storedFields].map(valuesOf).sort(),
    `The fields of a publish request are not those listed for version ${jobVersion}. Workers that are deployed would not know a new one: raise jobVersion in shared/jobs/version.ts and list the fields under the new number here.`,
  ).toEqual(fieldsOfVersion[jobVersion])
})

test('jobs of every version that has fields here are run, with every field that they may have', () => {
  const earlier = Object.keys(fieldsOfVersion).map(Number)
  expect(Math.max(...earlier)).toBe(jobVersion)
  const known = [...storedFields].map(valuesOf)
  for (const version of earlier) {
    requireKnownVersion({ version })
    expect(fieldsOfVersion[version]?.filter((field) => !known.includes(field))).toEqual([])
  }
  expect(() => requireKnownVersion({ version: jobVersion + 1 })).toThrow(NewerVersionError)
})
