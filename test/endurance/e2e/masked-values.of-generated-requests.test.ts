import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { uniqueName } from '../../../dev/requests.ts'
import { everythingInRedis, everythingInTheStore } from '../../support/storage/kept-texts.ts'
import { openCanaryWorld, type Place } from '../../support/worlds/canary-world.ts'

const world = await openCanaryWorld()
const { service, client, store, receiver, label, other, model, ids, owns, missingOwn } = world
const org = uniqueName('org')

const wanted = inject('asked').cases ?? (inject('isLong') ? 10_000 : 100)
const seed = inject('asked').seed ?? Math.floor(Math.random() * 2 ** 31)

const flag = fc.boolean()
const kept = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 })
const rarely = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })
const property = fc.constantFrom('email', 'phone', 'tags', 'note', 'nick', 'id')
const labelled = fc.constantFrom(label, label, label, other, `${label}None`)
const someOf = (values: readonly string[]) => fc.subarray([...values], { minLength: 1 })
const rule = fc.constantFrom('hash', 'drop', 'null')

/** Another mask of all that the graph has; mostly one that may mask it. */
const masks = fc.array(fc.tuple(fc.constantFrom(label, other), property, rule), { maxLength: 3 }).map((changes) => {
  const mask = structuredClone(world.mask)
  for (const [owner, name, how] of changes) mask[owner] = { ...mask[owner], [name]: how }
  return mask
})

/** Where a publish begins. */
const beginnings = fc.oneof(
  fc.record({ originIds: someOf([...ids, world.unused]) }),
  fc.record({ originIds: someOf(ids.slice(0, 2)) }),
  fc.record({ select: fc.constant([{ label }]), maxNodes: kept(fc.constantFrom(1, 100)) }),
  fc.record({ select: fc.record({ label: labelled, where: fc.record({ id: someOf(ids) }) }).map((one) => [one]) }),
  fc.constant({ relationshipIds: [...owns, missingOwn], relationshipIdField: 'grn', preventCleanup: true }),
)

const requests = fc
  .record({
    beginning: beginnings,
    options: fc.record({
      mask: masks,
      metadata: flag,
      numbers: kept(fc.constantFrom('plain', 'strict')),
      parameterSyntax: kept(fc.constantFrom('braces', 'dollar')),
      relationships: kept(fc.constantFrom([], ['KNOWS'], ['KNOWS>'], ['*'])),
      toLayer: kept(fc.constantFrom(['KNOWS'], ['<KNOWS'])),
      onUnpublishable: kept(fc.constantFrom('fail', 'skip')),
      searchIdField: kept(property),
      searchFilter: kept(labelled),
      targetFilter: kept(labelled),
      deleteProperties: kept(fc.constant(['gone'])),
      protectedNodeProperties: kept(someOf(['phone', 'nick'])),
      postbackTimestamp: kept(flag),
      timestampRelationships: kept(flag),
      timestampProperty: kept(fc.constantFrom('at', 'email')),
      relationshipDeleteOnly: kept(flag),
      bound: fc.option(fc.constantFrom('fail', 'report', 'omit'), { nil: undefined, freq: 1 }),
      only: rarely(fc.constantFrom({ [label]: ['email'], [other]: [] }, { KNOWS: ['since'] })),
    }),
  })
  .map(({ beginning, options }) => sensible({ ...options, ...beginning }))

/** Masks what these lists leave in. */
const maskOf = (only: Record<string, string[]>) =>
  Object.fromEntries(
    Object.entries(world.mask).map(([owner, rules]) => {
      const left = Object.entries(rules).filter(([key]) => key === 'id' || (only[owner]?.includes(key) ?? true))
      return [owner, Object.fromEntries(left)]
    }),
  )

/** Makes of options that contradict each other some that mostly do not. */
function sensible({ bound, ...given }: Record<string, unknown>): Record<string, unknown> {
  const needsStamp = given.postbackTimestamp === true || given.timestampRelationships === true
  const has = (field: string) => ((given[field] as unknown[] | undefined) ?? []).length > 0
  const byOwnId = given.relationshipIds !== undefined
  return {
    ...world.place,
    ...given,
    metadata: given.metadata === true || !(has('relationships') || byOwnId),
    ...(byOwnId && { relationships: undefined, toLayer: undefined, relationshipDeleteOnly: undefined }),
    ...(!has('relationships') && { relationshipDeleteOnly: undefined }),
    ...(needsStamp && { timestampProperty: given.timestampProperty ?? 'at' }),
    ...(given.searchIdField === undefined && { searchFilter: undefined }),
    ...(byOwnId && { only: undefined }),
    ...(given.only !== undefined && !byOwnId && { mask: maskOf(given.only as Record<string, string[]>) }),
    // A model says which label has which id, and which properties there are.
    ...(bound !== undefined && {
      mappedIndices: undefined,
      model,
      onModelViolation: bound,
      deleteProperties: undefined,
      protectedNodeProperties: undefined,
      only: undefined,
      mask: { ...world.mask, [label]: { ...world.mask[label], absent: 'hash' } },
    }),
    ...(bound !== undefined && given.originIds !== undefined && { index: label }),
  }
}

/** How one is sent: most answer their packet, others are queued, stored, deleted or only foreseen. */
const ways = fc.constantFrom('return', 'return', 'return', 'return', 'dry run', 'queue', 'delta', 'delete')

test('no masked value is in an answer, in Redis, in the store, or in what is logged, of generated publishes', {
  timeout: 3_600_000,
}, async () => {
  console.log(`masked values of ${wanted} generated requests: seed ${seed}`)
  await client.post(`/1.0/publish/${org}`)
  const counts: Record<string, number> = {}
  const leaks: string[] = []
  const bases: (string | undefined)[] = []
  const look = (places: Place[]) => leaks.push(...world.leaksIn(places))
  const send = async (lane: number, way: string, body: Record<string, unknown>, at: number) => {
    const { originIds = [ids[0]], mask } = body
    const stored = {
      ...body,
      orgName: org,
      fileName: `file-${at % 50}`,
      callbackUrl: `https://${receiver.address}/hook`,
    }
    const multi = (one: object) => client.post('/1.0/publish/multi?forceOverwrite=true', [one])
    if (way === 'return') return multi({ ...body, orgName: org, returnOnly: true })
    if (way === 'dry run') return client.post('/1.0/publish/multi?dryRun=true', [stored])
    if (way === 'queue') return multi(stored)
    if (way === 'delta') {
      const base = bases[lane]
      const answer = await multi({ ...stored, fileName: `based-${lane}`, asBase: true, ...(base && { base }) })
      if (answer.status === 200) bases[lane] = `based-${lane}`
      return answer
    }
    const deletion = { ...world.place, index: label, originIds, mask, fileName: `deleted-${at}` }
    return client.post(`/1.0/publish/${org}/delete`, deletion)
  }
  const given = fc.sample(fc.tuple(ways, requests), { seed, numRuns: wanted })
  const next = given.entries()
  await Promise.all(
    Array.from({ length: 4 }, async (_, lane) => {
      for (const [at, [way, body]] of next) {
        const { status, text, headers } = await send(lane, way, body, at)
        const outcome = `${way} ${status}`
        counts[outcome] = (counts[outcome] ?? 0) + 1
        look([[`${at}, ${outcome}: ${JSON.stringify(body)}`, text + JSON.stringify([...headers])]])
      }
    }),
  )
  look([
    ...world.outside(),
    ['Redis', await everythingInRedis(service.redisUrl)],
    ['the store', await everythingInTheStore(store)],
    ['metrics', (await client.get('/metrics')).text],
  ])
  console.log(JSON.stringify(counts))
  expect(leaks.slice(0, 20)).toEqual([])
  // Generated requests that all fail, or none, would show nothing.
  expect(counts['return 200']).toBeGreaterThan(wanted / 50)
  const failed = Object.entries(counts).filter(([outcome]) => /4(09|13|22)$/.test(outcome))
  expect(failed.reduce((sum, [, count]) => sum + count, 0)).toBeGreaterThan(wanted / 50)
})
