import { describe, test } from 'vitest'
import { booleanFields } from '../support/clients/publish-fields.ts'
import { badName, startFromValid } from '../support/clients/refusals.ts'

const { refuses } = await startFromValid()

/** The minimum for publishing relationships by their ids; each test breaks one rule on top. */
const byId = {
  metadata: undefined,
  relationshipIds: ['r1'],
  relationshipIdField: 'grn',
  preventCleanup: true,
}

describe('types', () => {
  test.each(['originIds', 'relationshipIds', 'toLayer', 'relationships'])('%s is a list of strings', async (field) => {
    await refuses({ [field]: 'one' }, `${field}: must be an array`)
    await refuses({ [field]: [7, null] }, `${field}[0]: must be a string`, `${field}[1]: must be a string`)
  })

  test.each(['deleteProperties', 'protectedNodeProperties', 'protectedRelationshipProperties'])(
    '%s must be a list of names that a statement can hold',
    async (field) => {
      await refuses({ [field]: 'one' }, `${field}: must be an array`)
      await refuses({ [field]: ['fine', '', 'a\nb'] }, `${field}[1]: ${badName}`, `${field}[2]: ${badName}`)
    },
  )

  test.each(booleanFields)('%s must be a boolean, not a string or a number', async (field) => {
    await refuses({ [field]: 'true' }, `${field}: must be a boolean`)
    await refuses({ [field]: 1 }, `${field}: must be a boolean`)
  })

  test.each(['index', 'relationshipIdField', 'timestampProperty', 'targetFilter'])(
    '%s must be a name that a statement can hold',
    async (field) => {
      await refuses({ [field]: 7 }, `${field}: must be a string`)
      for (const name of ['', 'a\\u0060b', 'a\u0007b', '\udfff']) {
        await refuses({ [field]: name }, `${field}: ${badName}`)
      }
    },
  )

  test.each(['toLayer', 'relationships'])('%s must have types with at most one arrow', async (field) => {
    const message = 'must be TYPE, TYPE> (outgoing), <TYPE (incoming) or `TYPE`'
    const broken = ['KNOWS', '', '<KNOWS>', '>', 'KNO\\WS']
    await refuses({ [field]: broken }, ...[1, 2, 3, 4].map((index) => `${field}[${index}]: ${message}`))
  })

  test('dynamicLabels must map labels to lists of labels', async () => {
    await refuses({ dynamicLabels: ['Actor'] }, 'dynamicLabels: must be an object')
    await refuses(
      { dynamicLabels: { Person: 'Actor', Movie: [''], 'Mo\\vie': [], City: null } },
      'dynamicLabels.Person: must be an array',
      `dynamicLabels.Movie[0]: ${badName}`,
      `dynamicLabels.Mo\\vie: ${badName}`,
      'dynamicLabels.City: must be an array',
    )
  })
})

describe('required-if', () => {
  test.each([undefined, null, []])('originIds or relationshipIds is required: both must not be %j', async (none) => {
    await refuses(
      { originIds: none, relationshipIds: none },
      'originIds: required when relationshipIds is empty',
      'relationshipIds: required when originIds is empty',
    )
  })

  test('originIds is required when hardFilterRelationships is true', async () => {
    const change = { ...byId, originIds: [], hardFilterRelationships: true }
    await refuses(change, 'originIds: required when hardFilterRelationships is true')
  })

  test.each([undefined, null, false])('something to publish is required when metadata is %j', async (metadata) => {
    await refuses(
      { metadata, relationships: [], relationshipIds: null },
      'metadata: required when relationshipIds and relationships are both empty',
      'relationships: required when metadata is not true and relationshipIds is empty',
      'relationshipIds: required when metadata is not true and relationships is empty',
    )
  })

  test('relationships is required when relationshipDeleteOnly is true', async () => {
    await refuses({ relationshipDeleteOnly: true }, 'relationships: required when relationshipDeleteOnly is true')
  })

  test('relationshipIdField is required with relationshipIds or deleteRelationshipById', async () => {
    const absent = { relationshipIdField: null }
    await refuses({ ...byId, ...absent }, 'relationshipIdField: required when relationshipIds are given')
    await refuses(
      { ...absent, deleteRelationshipById: true },
      'relationshipIdField: required when deleteRelationshipById is true',
    )
    await refuses(
      { ...byId, ...absent, deleteRelationshipById: true },
      'relationshipIdField: required when relationshipIds are given',
      'relationshipIdField: required when deleteRelationshipById is true',
    )
  })

  test('timestampProperty is required when timestampRelationships is true', async () => {
    await refuses({ timestampRelationships: true }, 'timestampProperty: required when timestampRelationships is true')
  })
})

describe('contradictions', () => {
  const atOnce = 'must not be given together with relationshipIds'
  const cleanup = 'preventCleanup: must be true when relationshipIds are given'

  test.each([
    ['toLayer with relationshipIds', { ...byId, toLayer: ['KNOWS'] }, `toLayer: ${atOnce}`],
    ['relationships with relationshipIds', { ...byId, relationships: ['KNOWS'] }, `relationships: ${atOnce}`],
    ['preventCleanup false with relationshipIds', { ...byId, preventCleanup: false }, cleanup],
    ['preventCleanup null with relationshipIds', { ...byId, preventCleanup: null }, cleanup],
    ['preventCleanup absent with relationshipIds', { ...byId, preventCleanup: undefined }, cleanup],
    [
      'preventCleanup with relationshipDeleteOnly',
      { relationships: ['KNOWS'], preventCleanup: true, relationshipDeleteOnly: true },
      'preventCleanup: must not be true together with relationshipDeleteOnly',
    ],
    [
      'relationshipDeleteOnly with relationshipIds, which rule each other out',
      { ...byId, relationshipDeleteOnly: true },
      'relationships: required when relationshipDeleteOnly is true; preventCleanup: must not be true together with relationshipDeleteOnly',
    ],
    [
      'all of them',
      { ...byId, toLayer: ['KNOWS'], relationships: ['KNOWS'], preventCleanup: false, relationshipDeleteOnly: true },
      `toLayer: ${atOnce}; relationships: ${atOnce}; ${cleanup}`,
    ],
    [
      'a deleted property that is an id property',
      { deleteProperties: ['nick', 'title', 'id', 'id'] },
      'deleteProperties: must not name "title", an id property of mappedIndices; deleteProperties: must not name "id", an id property of mappedIndices',
    ],
    [
      'a deleted property that is protected',
      { deleteProperties: ['nick', 'secret'], protectedNodeProperties: ['secret'] },
      'deleteProperties: must not name "secret", which protectedNodeProperties protects',
    ],
    [
      'a protected node property that is an id property',
      { protectedNodeProperties: ['title'] },
      'protectedNodeProperties: must not name "title", an id property of mappedIndices',
    ],
    [
      'protected properties that are the timestampProperty',
      {
        timestampRelationships: true,
        timestampProperty: 'at',
        protectedNodeProperties: ['at'],
        protectedRelationshipProperties: ['at'],
      },
      'protectedNodeProperties: must not name "at", the timestampProperty; protectedRelationshipProperties: must not name "at", the timestampProperty',
    ],
    [
      'a protected relationship property that is the relationshipIdField',
      { relationshipIdField: 'grn', protectedRelationshipProperties: ['grn'] },
      'protectedRelationshipProperties: must not name "grn", the relationshipIdField',
    ],
  ])('a request with contradictory fields is refused: %s', async (_what, change, message) => {
    await refuses(change, message)
  })
})
