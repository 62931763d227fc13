import { expect, test } from 'vitest'
import { createPairMaker } from '../../../../packet/pair-maker.ts'
import { NodeUpserts } from '../../../../shared/publish/pairs/node-upserts.ts'
import { createModelRules } from '../../../../shared/request/model/model-rules.ts'
import { planOf } from '../../../../shared/request/plan.ts'
import { parsePublishRequest } from '../../../../shared/request/rules.ts'
import { propertiesOf } from '../../../support/origins/packstream.ts'
import { busySeconds } from '../../../support/programs/busy-seconds.ts'

const database = { dbUrl: 'bolt://db', credentials: 'Basic YTpi' }
const body = {
  ...database,
  mappedIndices: { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id' },
  originIds: ['a'],
  metadata: true,
  onUnpublishable: 'skip',
  returnOnly: true,
}
const identity = { label: 'Person', idProperty: 'id', id: { json: '"a"', wrap: null, list: false } }

const rulesFor = createModelRules({
  version: 'grn:gg:managerversion:1',
  types: [{ label: 'Person', properties: [{ key: 'id' }] }],
  properties: ['id'],
})

function upsertOf(properties: number, more: object = {}) {
  const plan = planOf(parsePublishRequest({ ...body, ...more }).request)
  const others = Array.from({ length: properties - 1 }, (_, index) => index)
  const read = new Map<string, unknown>([['id', 'a'], ...others.map((index) => [`k${index}`, BigInt(index)] as const)])
  const upserts = new NodeUpserts(plan, createPairMaker('dollar'), 'model' in more ? rulesFor(plan) : undefined)
  const keys = { labels: ['Person'], properties: propertiesOf(read) }
  const made = upserts.shapeOf(identity, keys, () => 'the node')
  return { ...made, text: () => `${upserts.bytesOf(made, identity, keys, () => 'an element')}null}` }
}

test('a node with 100,000 properties is one statement with a parameter for each, built in linear time', () => {
  let text = ''
  const seconds = busySeconds(() => {
    text = upsertOf(100_000).text()
  })
  const { statement, parameters } = JSON.parse(text)
  // Quadratic time took minutes.
  expect(seconds).toBeLessThan(10)
  expect(Object.keys(parameters)).toHaveLength(100_000)
  expect(statement.match(/`k\d+`: \$k\d+/g)).toHaveLength(99_999)
  expect(parameters).toMatchObject({ id: 'a', k0: 0, k99998: 99_998 })
})

test('properties that the model does not have, or that are protected, are left out in linear time', () => {
  const seconds = busySeconds(() => {
    expect(upsertOf(100_000, { model: 'm', onModelViolation: 'omit' }).verdict.omitted).toHaveLength(99_999)
    const protectedNodeProperties = Array.from({ length: 10_000 }, (_, index) => `k${90_000 + index}`)
    expect(upsertOf(100_000, { protectedNodeProperties }).keys).toHaveLength(90_001)
  })
  expect(seconds).toBeLessThan(5)
})

test('a node with more properties is rejected even with onUnpublishable skip, to protect the memory of the worker', () => {
  expect(() => upsertOf(100_001)).toThrow('the node has 100001 properties, more than 100000')
})
