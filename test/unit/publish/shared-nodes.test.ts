import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createObservations, detectConflicts, distinctTreatments } from '../../../shared/publish/write/conflicts.ts'
import type { PublishRequest } from '../../../shared/request/fields.ts'
import { identityLabel, identityOf, identityRule, type NodeKeys } from '../../../shared/request/identity.ts'
import { planOf } from '../../../shared/request/plan.ts'
import { parsePublishRequest } from '../../../shared/request/rules.ts'
import { propertiesOf } from '../../support/origins/packstream.ts'
import { request } from '../valid-request.ts'

interface Observed {
  node: number
  keys: NodeKeys
}

const detectorsOf = (requests: readonly PublishRequest[]) => {
  const observations = createObservations()
  const detectorOf = detectConflicts(distinctTreatments(requests), observations)
  return { detectors: requests.map((one, at) => detectorOf(planOf(one), at)), observations }
}

const read = (changes: Record<string, unknown>) => parsePublishRequest(request(changes)).request

/** Reports a node to the detector of a sub-request, as publishing does. */
function observe(
  detector: ReturnType<ReturnType<typeof detectConflicts>>,
  one: PublishRequest,
  { node, keys }: Observed,
) {
  const plan = planOf(one)
  const ids = [...plan.identity.idProperties.values()].map((column) => [column, `${column}${node}`])
  const index = keys.properties.value('index')
  const read = { ...keys, properties: propertiesOf({ index, ...Object.fromEntries(ids) }) }
  const identity = identityOf(plan.identity, read)
  if ('problem' in identity) return
  detector.identified(node, read, identity)
  if (plan.publishesNodes) detector.published(node, keys.labels, identity)
}

/** Reference implementation: a node is recorded if another sub-request could see it differently. */
function fieldsByDefinition(
  requests: readonly PublishRequest[],
  own: PublishRequest,
  { node, keys }: Observed,
): string[] {
  const rule = identityRule(own.mappedIndices ?? {})
  const index = keys.properties.text('index')
  const label = identityLabel(rule, keys.labels, index)
  const idProperty = label === null ? undefined : rule.idProperties.get(label)
  if (label === null) return []
  const settings = (one: PublishRequest) => JSON.stringify([one.deleteProperties ?? [], one.dynamicLabels ?? {}])
  const neighbours = requests.filter(({ dbUrl }) => dbUrl === own.dbUrl)
  const isElsewhere = requests.some(({ dbUrl, mappedIndices }) => {
    return dbUrl !== own.dbUrl && identityRule(mappedIndices ?? {}).idProperties.get(label) === idProperty
  })
  const isIdentifiedOtherwise = neighbours.some(({ mappedIndices }) => {
    const others = identityRule(mappedIndices ?? {})
    const other = identityLabel(others, keys.labels, index)
    return other !== null && (other !== label || others.idProperties.get(other) !== idProperty)
  })
  const isPublishedOtherwise = neighbours.some((one) => {
    return one.metadata && settings(one) !== settings(own) && keys.labels.includes(one.index ?? 'Person')
  })
  return [
    ...(isElsewhere ? [`dbUrl ${label} ${idProperty} "${idProperty}${node}"`] : []),
    ...(isIdentifiedOtherwise ? [`mappedIndices ${own.dbUrl} ${node}`] : []),
    ...(own.metadata && isPublishedOtherwise ? [`nodeSettings ${own.dbUrl} ${node}`] : []),
  ]
}

const labels = ['Person', 'Movie', 'City']
const options = fc.record(
  {
    dbUrl: fc.constantFrom('bolt://a.example', 'bolt://b.example'),
    index: fc.constantFrom(...labels),
    mappedIndices: fc
      .tuple(fc.constantFrom('Person', 'Movie'), fc.constantFrom('id', 'key'), fc.subarray(['Movie', 'City', 'Tag']))
      .chain(([DEFAULT_INDEX, DEFAULT_ID_FIELD, more]) => {
        const ids = fc.array(fc.constantFrom('id', 'key'), { minLength: 3, maxLength: 3 })
        return ids.map((names) => {
          const others = more.filter((label) => label !== DEFAULT_INDEX).map((label, at) => [label, names[at]])
          return { DEFAULT_INDEX, DEFAULT_ID_FIELD, ...Object.fromEntries(others) }
        })
      }),
    metadata: fc.boolean(),
    deleteProperties: fc.constantFrom(undefined, ['nick']),
    dynamicLabels: fc.constantFrom(undefined, { Person: ['Actor'] }),
  },
  { requiredKeys: ['dbUrl', 'mappedIndices', 'metadata', 'index'] },
)
const observed = fc.record({
  node: fc.nat(3),
  keys: fc.record({
    labels: fc.subarray([...labels, 'Tag']),
    properties: fc.constantFrom(null, 7n, '', ...labels).map((index) => propertiesOf({ index })),
  }),
})

test('a node is recorded exactly if another sub-request could see it differently', () => {
  const counts = { dbUrl: 0, mappedIndices: 0, nodeSettings: 0 }
  fc.assert(
    fc.property(
      fc.array(options, { minLength: 1, maxLength: 5 }),
      fc.array(observed, { maxLength: 6 }),
      (given, seen) => {
        const requests = given.map(read)
        for (const [at, one] of requests.entries()) {
          for (const node of seen) {
            const { detectors, observations } = detectorsOf(requests)
            observe(detectors[at] as (typeof detectors)[number], one, node)
            const things = [...observations.all()].map(({ thing }) => thing.replaceAll('\u0000', ' '))
            expect(things).toEqual(fieldsByDefinition(requests, one, node))
            for (const { field } of observations.all()) counts[field]++
          }
          // One detector answers the same whatever it has seen before.
          const nodes = seen.map(({ keys }, node) => ({ node, keys }))
          const { detectors, observations } = detectorsOf(requests)
          for (const node of nodes) observe(detectors[at] as (typeof detectors)[number], one, node)
          const things = [...observations.all()].map(({ thing }) => thing.replaceAll('\u0000', ' '))
          expect(things).toEqual(nodes.flatMap((node) => fieldsByDefinition(requests, one, node)))
        }
      },
    ),
    { numRuns: 500, seed: 7 },
  )
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(50)
})

test('a conflict with an earlier sub-request is rejected, naming both', () => {
  const requests = [read({}), read({ dynamicLabels: { Person: ['Actor'] } })]
  const { detectors } = detectorsOf(requests)
  const node = { node: 1, keys: { labels: ['Person'], properties: propertiesOf({}) } }
  observe(detectors[0] as (typeof detectors)[number], requests[0] as PublishRequest, node)
  const again = () => observe(detectors[1] as (typeof detectors)[number], requests[1] as PublishRequest, node)
  expect(again).toThrow(
    '[1].dynamicLabels: must be the same as in [0], which publishes the "Person" with "id" "id1" too',
  )
})

test('the work per node does not grow with sub-requests that differ only in index', () => {
  const looksOf = (views: number) => {
    const requests = Array.from({ length: views }, (_, at) => read({ index: `Label${at}`, originIds: [`p${at}`] }))
    const { detectors, observations } = detectorsOf(requests)
    let looks = 0
    const counted = new Proxy(['Person', 'Label1'], {
      get(target, key, receiver) {
        looks++
        return Reflect.get(target, key, receiver)
      },
    })
    const node = { node: 1, keys: { labels: counted, properties: propertiesOf({}) } }
    observe(detectors[0] as (typeof detectors)[number], requests[0] as PublishRequest, node)
    expect([...observations.all()]).toEqual([])
    return looks
  }
  expect(looksOf(1_000)).toBe(looksOf(2))
})
