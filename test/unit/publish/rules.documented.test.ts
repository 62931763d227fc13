import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRelationships } from '../../../api/publish/create-relationships.ts'
import { deleteNodes } from '../../../api/publish/delete-nodes.ts'
import { parsePublishRequest } from '../../../shared/request/rules.ts'
import { document } from '../../support/clients/documented.ts'
import { validRequest } from '../valid-request.ts'

const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema({ ...document, $id: 'api' })
const bodyOf = (path: string) =>
  ajv.compile({
    $ref: `api#/paths/${path.replaceAll('/', '~1').replace('{', '%7B').replace('}', '%7D')}/post/requestBody/content/application~1json/schema`,
  })

const names = fc.constantFrom([], ['a'], ['a', 'b'])
const flag = fc.boolean()
const property = fc.constant('stamp')
const options = fc.record(
  {
    originIds: names,
    relationshipIds: names,
    hardFilterRelationships: flag,
    toLayer: names,
    relationships: names,
    preventCleanup: flag,
    relationshipIdField: fc.constant('key'),
    metadata: flag,
    timestampRelationships: flag,
    timestampProperty: property,
    relationshipDeleteOnly: flag,
    deleteRelationshipById: flag,
    postbackTimestamp: flag,
    returnOnly: flag,
    compression: fc.constant('gzip'),
    searchIdField: property,
    searchFilter: property,
    preventSearch: names,
    mappedIndices: fc.record(
      { DEFAULT_INDEX: fc.constant('P'), DEFAULT_ID_FIELD: fc.constant('id') },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
)

test('the documented schema rejects exactly the requests that break a rule between fields', () => {
  const isValid = bodyOf('/1.0/publish/')
  const { originIds, metadata, ...rest } = validRequest
  let refused = 0
  fc.assert(
    fc.property(options, (changes) => {
      const body = { ...rest, ...changes }
      const { issues } = parsePublishRequest(body)
      if (issues.length > 0) refused++
      expect([isValid(body), body]).toEqual([issues.length === 0, body])
    }),
    { numRuns: 3_000, seed: 7 },
  )
  expect(refused).toBeGreaterThan(100)
  expect(refused).toBeLessThan(2_990)
})

test.each([
  [{}, true],
  [{ originIds: [] }, false],
  [{ fileName: undefined }, false],
  [{ fileName: undefined, returnOnly: false }, false],
  [{ fileName: undefined, returnOnly: true }, true],
  [{ returnOnly: true, compression: 'gzip' }, false],
  [{ compression: 'gzip' }, true],
  [{ compression: 'zip' }, false],
  [{ mappedIndices: { DEFAULT_INDEX: 'P' } }, false],
])('a delete of nodes with %j: the schema and the endpoint agree on %s', (changes, isRight) => {
  const mappedIndices = { DEFAULT_INDEX: 'P', DEFAULT_ID_FIELD: 'id' }
  const given = { mappedIndices, index: 'P', originIds: ['1'], fileName: 'f', ...changes }
  const body = JSON.parse(JSON.stringify(given))
  expect(deleteNodes.body?.read(body, {}).issues.length === 0).toBe(isRight)
  expect(bodyOf('/1.0/publish/{orgName}/delete')(body)).toBe(isRight)
})

test.each([
  [[{ startId: '1', endId: '2' }], true],
  [[], false],
])('relationships for the pairs %j: the schema and the endpoint agree on %s', (idPairs, isRight) => {
  const ends = { startIndex: 'A', startIdField: 'i', endIndex: 'B', endIdField: 'i', type: 'T', fileName: 'f' }
  const body = { ...ends, idPairs }
  expect(createRelationships.body?.read(body, {}).issues.length === 0).toBe(isRight)
  expect(bodyOf('/1.0/publish/{orgName}/createrelationships')(body)).toBe(isRight)
})
