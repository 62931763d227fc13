import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { endpoints } from '../../../api/endpoints.ts'
import type { Endpoint } from '../../../api/http/endpoint.ts'
import { checkedDocument } from '../../../shared/models/version-document.ts'
import { document, operations } from '../../support/clients/documented.ts'

const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema({ ...document, $id: 'api' })
const step = (text: string) => encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'))
const unnamed = (path: string) => path.replaceAll(/\{\w+\}|:\w+/g, '{}')

/** The documented schema of an endpoint's body. */
function schemaOf({ method, path }: Endpoint) {
  const found = operations.find((one) => one.method === method.toUpperCase() && unnamed(one.path) === unnamed(path))
  return ajv.compile({
    $ref: `api#/paths/${step(found?.path ?? '')}/${method}/requestBody/content/${step('application/json')}/schema`,
  })
}

const flag = fc.constantFrom(true, false, null, 'true')
const lengths = [1_000, 1_001, 10_000, 10_001].map((length) => 'x'.repeat(length))
const text = fc.constantFrom('Title', '', null, 7, ...lengths)
const name = fc.constantFrom('title', 'a\\b', '', ' ', null, 'grn:gg:x', 'a\u0000b', 'x'.repeat(255), 'x'.repeat(256))
const access = { isEditable: flag, editable: flag, isDeletable: flag, deletable: flag }
const texts = { definition: text, displayValue: text }
const bodies = fc.oneof(
  fc.record({ name }, { requiredKeys: [] }),
  fc.record({ key: name, displayValue: text }, { requiredKeys: [] }),
  fc.record({ key: name, dataType: text, ...texts, ...access }, { requiredKeys: [] }),
  fc.record({ key: name, namespace: text, ...texts }, { requiredKeys: [] }),
  fc.record(
    { key: name, displayValue: text, unique: flag, required: flag, indexed: flag, ...access },
    { requiredKeys: [] },
  ),
  fc.record({ nodeTypes: fc.constantFrom([], ['Movie'], [7], null) }, { requiredKeys: [] }),
  fc.constantFrom(null, [], 'text', { unknown: 1 }),
)

const areas = /^\/1\.0\/(manager|search)\//
const withBody = endpoints.filter(({ path, body }) => areas.test(path) && body)
const isDocument = ({ path }: Endpoint) => path.includes('/import/')
const acceptsTwo = ({ path }: Endpoint) => path === '/1.0/manager/property/:grn'

test('the areas have the endpoints that this file is about', () => {
  expect(withBody.length).toBeGreaterThan(10)
  expect(withBody.filter(isDocument)).toHaveLength(1)
  expect(withBody.filter(acceptsTwo)).toHaveLength(1)
})

describe.each(withBody.filter((one) => !isDocument(one)).map((one) => [`${one.method} ${one.path}`, one] as const))(
  '%s',
  (_name, endpoint) => {
    test('the documented schema rejects exactly the bodies that the endpoint rejects', () => {
      const isValid = schemaOf(endpoint)
      const grns = acceptsTwo(endpoint) ? ['grn:gg:property:1', 'grn:gg:propertyimpl:1'] : ['']
      const seen = { valid: 0, refused: 0 }
      fc.assert(
        fc.property(bodies, (body) => {
          const accepted = grns.some((grn) => endpoint.body?.read(body, { grn }).issues.length === 0)
          seen[accepted ? 'valid' : 'refused']++
          expect([isValid(body), body]).toEqual([accepted, body])
        }),
        { numRuns: 2_000, seed: 11 },
      )
      expect(seen.valid).toBeGreaterThan(20)
      expect(seen.refused).toBeGreaterThan(500)
    })
  },
)

test('the documented schema of an import rejects the documents whose elements break a rule', async () => {
  const endpoint = withBody.find(isDocument) as Endpoint
  const isValid = schemaOf(endpoint)
  const property = fc.record({ key: name, dataType: text, ...access }, { requiredKeys: ['key'] })
  const implementation = fc.record(
    { key: fc.constantFrom('implemented', '', 7), unique: flag },
    { requiredKeys: ['key'] },
  )
  const own = fc.option(fc.array(implementation, { maxLength: 1 }))
  const nodeType = fc.record({ key: name, namespace: text, properties: own }, { requiredKeys: ['key'] })
  const documents = fc.record(
    { properties: fc.option(fc.tuple(property)), nodeTypes: fc.option(fc.tuple(nodeType)) },
    { requiredKeys: [] },
  )
  const seen = { valid: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(documents, async (body) => {
      // Only the description says so: implementations name properties of the document.
      const named = { key: 'implemented' }
      const { properties, nodeTypes } = { properties: body.properties ?? [], nodeTypes: body.nodeTypes ?? [] }
      const accepted = await checkedDocument({ properties: [...properties, named], nodeTypes }).then(
        () => true,
        () => false,
      )
      seen[accepted ? 'valid' : 'refused']++
      expect([isValid(body), body]).toEqual([accepted, body])
    }),
    { numRuns: 1_000, seed: 11 },
  )
  expect(seen.valid).toBeGreaterThan(50)
  expect(seen.refused).toBeGreaterThan(300)
})
