import { expect, test } from 'vitest'
import { createPairMaker } from '../../../packet/pair-maker.ts'
import type { PacketWriter } from '../../../packet/parts/packet-writer.ts'
import { renderValue } from '../../../packet/values/render-value.ts'
import { RelationshipUpserts } from '../../../shared/publish/pairs/relationship-upserts.ts'
import { createReport } from '../../../shared/publish/report/report.ts'
import { findByRelationshipIds, writeFound } from '../../../shared/publish/write/relationships-by-own-id.ts'
import type { WriteContext } from '../../../shared/publish/write/request-context.ts'
import { listIds } from '../../../shared/read/internal-ids.ts'
import { nothingLearned } from '../../../shared/read/reading.ts'
import { createUniqueness } from '../../../shared/read/uniqueness.ts'
import { planOf } from '../../../shared/request/plan.ts'
import { parsePublishRequest } from '../../../shared/request/rules.ts'
import { answeringOrigin } from '../../support/origins/answering-origin.ts'
import { only } from '../../support/values/only.ts'
import { request } from '../valid-request.ts'

const fields = {
  metadata: undefined,
  originIds: undefined,
  relationshipIds: ['x', 'y'],
  relationshipIdField: 'own',
}

/** Reads from an origin with these rows, two relationships at once, and keeps the parameters that it writes. */
function openContext(answer: Parameters<typeof answeringOrigin>[0], onUnpublishable = 'skip') {
  const written: Record<string, unknown>[] = []
  const plan = planOf(parsePublishRequest(request({ ...fields, onUnpublishable })).request)
  const pairs = createPairMaker('dollar')
  const origin = answeringOrigin(answer)
  const add: PacketWriter['add'] = (bytes) => {
    written.push(JSON.parse(`${bytes}null}`).parameters)
    return undefined
  }
  const context = only<WriteContext>({
    ...nothingLearned(),
    origin,
    plan,
    pairs,
    sizes: { probe: 10, group: 2, chunk: 10 },
    relationshipUpserts: new RelationshipUpserts(plan, pairs, null),
    stamp: null,
    writer: only<PacketWriter>({ add, updateMetadata: () => {} }),
    report: createReport(),
    uniqueness: createUniqueness(origin),
    observer: undefined,
    index: null,
    masker: undefined,
    model: undefined,
    conflicts: { identified() {}, published() {}, missed() {} },
    schema: { types: async () => ['KNOWS'], indexedBy: async () => null, renewed() {} },
    targets: listIds([]),
    seen: { see() {} },
  })
  return { context, written }
}

const end = (node: number) => ({
  node,
  labels: ['Person'],
  identity: { label: 'Person', idProperty: 'id', id: renderValue(`p${node}`) ?? expect.unreachable() },
})

test('parallel relationships with one own id collapse, although others separate them when they are found', async () => {
  const own = ['x', 'y', 'x']
  const { context, written } = openContext((_, { ids }) =>
    (ids as number[]).map((id) => [BigInt(id), { own: own[id], at: BigInt(id) }, true]),
  )
  const rows = own.map((id, relationship) => ({
    relationship,
    type: 'KNOWS',
    ownId: JSON.stringify(id),
    name: id,
    start: end(1),
    end: end(id === 'x' ? 2 : 3),
  }))
  await writeFound(context, { rows, ends: [], missing: [], skipped: 0 })
  expect(written).toEqual([
    { a_id: 'p1', b_id: 'p2', own: 'x', at: 0 },
    { a_id: 'p1', b_id: 'p3', own: 'y', at: 1 },
  ])
})

const node = (id: number) => [BigInt(id), ['Person'], [null, `p${id}`]]

test.each(['skip', 'fail'])(
  'with %s, a found relationship is left out if its own id is null when it is read',
  async (onUnpublishable) => {
    const rows = [null, 'y'].map((own, id) => [BigInt(id), 'KNOWS', { own }, ...node(1), ...node(2), true])
    const { context } = openContext((query) => (query.includes('type(r)') ? rows : []), onUnpublishable)
    const found = await findByRelationshipIds(context)
    expect(found).toMatchObject({ rows: [{ relationship: 1, name: 'y' }], missing: ['x'], skipped: 0 })
  },
)

test('a relationship that was deleted while it was found cannot hide that more were found than may be', async () => {
  const deleted = [1n, null, ...Array(8).fill(null)]
  const found = [2n, 'KNOWS', { own: 'x' }, ...node(1), ...node(2), true]
  const { context } = openContext(() => [deleted, ...Array(100_000).fill(found)])
  await expect(findByRelationshipIds(context)).rejects.toMatchObject({
    status: 413,
    code: 'tooManyFound',
    message: 'relationshipIds: more than 100000 relationships of the origin have these ids',
  })
})

test('if the relationships with the ids take too many bytes, the error says so', async () => {
  const { context } = openContext(() => [])
  const origin = { ...context.origin, rows: async () => ({ rows: null, rowBytes: 0 }) }
  await expect(findByRelationshipIds({ ...context, origin })).rejects.toMatchObject({
    status: 413,
    code: 'tooManyFound',
    message: 'relationshipIds: the relationships of the origin that have these ids take more than 128 MiB',
  })
})
