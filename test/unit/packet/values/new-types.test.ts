import neo4j from 'neo4j-driver'
import { describe, expect, test } from 'vitest'
import { Altered, asWritten } from '../../../../packet/check/as-written.ts'
import { param, render } from '../../../../packet/cypher/parameters.ts'
import { parseLossless } from '../../../../packet/lossless-json.ts'
import { createPairMaker } from '../../../../packet/pair-maker.ts'
import { recognise } from '../../../../packet/recognise.ts'
import { renderValue } from '../../../../packet/values/render-value.ts'
import { expression } from '../../../../packet/values/values.ts'
import { requiresOf } from '../../../../shared/publish/manifest-view.ts'
import { upsertShape } from '../../../../shared/publish/pairs/upserts.ts'
import { createReport, mergeReports } from '../../../../shared/publish/report/report.ts'
import { identityOf, identityRule } from '../../../../shared/request/identity.ts'
import { driverOf, propertiesOf } from '../../../support/origins/packstream.ts'

const driver = driverOf('6x1')
const { vector } = neo4j
const uuid = new neo4j.UUID(Uint8Array.from({ length: 16 }, (_, index) => 17 * index))
const text = '00112233-4455-6677-8899-aabbccddeeff'

/** Every new value with its JSON and its expression. */
const values: [what: string, value: unknown, json: string, written: string][] = [
  [
    'vector of INTEGER8',
    vector(Int8Array.of(1, -128)),
    '[1,-128]',
    'vector([i IN $p | toInteger(i)], size($p), INTEGER8)',
  ],
  [
    'vector of INTEGER16',
    vector(Int16Array.of(258, -2)),
    '[258,-2]',
    'vector([i IN $p | toInteger(i)], size($p), INTEGER16)',
  ],
  [
    'vector of INTEGER32',
    vector(Int32Array.of(-70_000)),
    '[-70000]',
    'vector([i IN $p | toInteger(i)], size($p), INTEGER32)',
  ],
  [
    'vector of INTEGER64',
    vector(BigInt64Array.of(5n, -(2n ** 63n))),
    '[5,"-9223372036854775808"]',
    'vector([i IN $p | toInteger(i)], size($p), INTEGER64)',
  ],
  [
    'vector of FLOAT32',
    vector(Float32Array.of(0.1, -0, 1)),
    '[0.10000000149011612,-0.0,1.0]',
    'vector($p, size($p), FLOAT32)',
  ],
  ['vector of FLOAT64', vector(Float64Array.of(0.1, 5e-324)), '[0.1,5e-324]', 'vector($p, size($p), FLOAT64)'],
  ['UUID', uuid, `"${text}"`, 'uuid($p)'],
  ['list of UUIDs', [uuid, uuid], `["${text}","${text}"]`, '[x IN $p | uuid(x)]'],
]

describe.each(values)('a new type: %s', (what, value, json, written) => {
  const properties = propertiesOf({ id: 'a', v: value }, driver)
  const rendered = properties.rendered(1, 'plain')

  test(`a ${what} is written from its bytes as from what the driver decodes, and exactly`, () => {
    expect(rendered.json).toBe(json)
    expect(renderValue(value)).toEqual(rendered)
    expect(renderValue(properties.value('v'))).toEqual(rendered)
    expect(properties.rendered(1, 'strict')).toEqual(rendered)
    expect(render(expression(rendered, param('p')), 'dollar')).toBe(written)
  })

  test(`a ${what} is published with dollars, and the packet says which server it needs`, () => {
    const pairs = createPairMaker('dollar')
    const identity = { label: 'P', idProperty: 'id', id: { json: '"a"', wrap: null, list: false } }
    const kind = {
      numbers: 'plain' as const,
      syntax: 'dollar' as const,
      excluded: new Set<string>(),
      added: [],
      skips: false,
      make: (fields: Parameters<typeof pairs.nodeUpsertShape>[1]) => {
        const made = pairs.nodeUpsertShape(identity, fields, { added: [], removed: [], protectedKeys: [] })
        expect(recognise(JSON.parse(made.statement))).toMatchObject({ kind: 'nodeUpsert' })
        return made
      },
    }
    expect(upsertShape(kind, properties, () => 'the node').keys).toEqual(['id', 'v'])
    const report = createReport()
    report.newTypes(pairs.newTypes())
    const server = /UUID/.test(what) ? '2026.08' : '2025.10'
    expect(requiresOf(mergeReports([report.read()]))).toMatchObject({ server, cypher: 25, edition: 'enterprise' })
    expect(() => upsertShape({ ...kind, syntax: 'braces' }, properties, () => 'the node')).toThrow(
      /the node has a (vector|uuid|list with a uuid), which needs the parameterSyntax dollar, as its property "v"/,
    )
  })

  test(`a ${what} of a target is compared with what the packet says`, () => {
    const parameter = parseLossless(json)
    expect(asWritten(rendered, parameter, value)).toBe(value)
    const other = /UUID/.test(what) ? neo4j.vector(Int8Array.of(1)) : uuid
    for (const wrong of [other, null, 'x', [], vector(Float64Array.of(7)), vector(BigInt64Array.of(7n, 8n))])
      expect(asWritten(rendered, parameter, wrong)).toBeInstanceOf(Altered)
  })
})

test('a UUID is an id with dollars, and is refused by name with braces', () => {
  const node = { labels: ['P'], properties: propertiesOf({ id: uuid }, driver) }
  const rule = (syntax: 'braces' | 'dollar') =>
    identityRule({ DEFAULT_INDEX: 'P', DEFAULT_ID_FIELD: 'id' }, 'plain', syntax)
  expect(identityOf(rule('dollar'), node)).toMatchObject({ id: { json: `"${text}"`, wrap: 'uuid' } })
  expect(identityOf(rule('braces'), node)).toEqual({
    problem: 'has a uuid, which needs the parameterSyntax dollar, as its id "id"',
  })
})

test('a list of vectors, and a vector that is not finite, are unpublishable', () => {
  const properties = propertiesOf({ a: [vector(Int8Array.of(1))], b: vector(Float32Array.of(Number.NaN)) }, driver)
  expect([properties.typeName(0), properties.typeName(1)]).toEqual(['list with a vector', 'vector'])
  expect(renderValue([vector(Int8Array.of(1))])).toBeNull()
  expect(renderValue(vector(Float64Array.of(Number.POSITIVE_INFINITY)))).toBeNull()
})

test('a packet without new types needs no new server', () => {
  const { newTypes: _, ...report } = createReport().read()
  expect(requiresOf(report)).toEqual({ server: '3.4', constraints: [] })
})
