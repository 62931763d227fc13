import fc from 'fast-check'
import { expect, test } from 'vitest'
import { run } from '../../../dev/replay/neo4j.ts'
import type { KindOfChanges } from '../../replay/generator/writers.ts'
import { everyone, type openChangingOrigin } from '../../support/origins/changing-origin.ts'

const requests = fc.record(
  {
    relationships: fc.constantFrom(['GEN_T'], ['GEN_T'], ['GEN_T>'], ['<GEN_T'], ['GEN_T', 'GEN_U']),
    originIds: fc.subarray(everyone, { minLength: 4 }),
    metadata: fc.constantFrom(true, true, false),
    toLayer: fc.constantFrom(undefined, undefined, ['GEN_T']),
    byId: fc.constantFrom(
      {},
      {},
      { relationshipIdField: 'grn' },
      { relationshipIdField: 'grn', deleteRelationshipById: true },
      { relationshipIdField: 'grn', relationshipDeleteOnly: true },
    ),
  },
  { noNullPrototype: true },
)

const sizes = fc.record({
  probe: fc.constantFrom(1, 2, 10),
  group: fc.constantFrom(1, 2, 3, 20_000),
  chunk: fc.constantFrom(1, 2, 3, 1_000),
})

const casesOf = (changes: fc.Arbitrary<string[]>) =>
  fc.record({
    sizes,
    edges: fc.uniqueArray(fc.tuple(fc.nat(5), fc.nat(5)), { selector: String, maxLength: 6 }),
    request: requests,
    /** Whether it names the edges by their own ids instead, so that their ends are the targeted nodes. */
    isOfEdges: fc.constantFrom(true, false, false),
    changes: fc.array(
      fc.array(changes, { minLength: 1, maxLength: 4 }).map((several) => several.flat()),
      { minLength: 1, maxLength: 4 },
    ),
    seed: fc.nat(),
  })

/** Registers a test for each kind of changes, with this many generated cases. */
export function testOriginChanges(
  origin: ReturnType<typeof openChangingOrigin>,
  counts: Record<KindOfChanges, number>,
): void {
  const { from, dirty, edge, draw, expectOneOutcome, build } = origin
  const { changesOf } = origin.changes
  test.each([
    ['existence', counts.existence],
    ['identities', counts.identities],
  ] as const)(
    'generated: a packet whose origin changes in the %s of nodes has one outcome in any order, or is refused',
    {
      timeout: 900_000,
    },
    async (kinds, numRuns) => {
      let refused = 0
      const property = fc.asyncProperty(
        casesOf(changesOf(kinds)),
        async ({ edges, request, isOfEdges, sizes, changes, seed }) => {
          const { byId, ...asked } = request
          const relationships = edges.map(([start, end]) => edge(start, end, `e-${start}-${end}`))
          await draw(relationships)
          const left = [...changes]
          const change = async () => {
            for (const query of left.shift() ?? []) await run(from, query)
          }
          const relationshipIds = ['gone', ...relationships.map(({ properties }) => properties.grn)]
          const ofEdges = {
            metadata: asked.metadata,
            relationshipIdField: 'grn',
            relationshipIds,
            preventCleanup: true,
          }
          const fields = isOfEdges ? ofEdges : { ...asked, ...byId, originIds: [...asked.originIds, 'p0'] }
          const built = await build(fields, change, { sizes }).catch((error: { code?: string }) => error)
          // If the target lacks a node, the new node shows by which label it was created.
          const before = kinds === 'existence' ? dirty : { nodes: [], relationships: [] }
          if (Array.isArray(built)) await expectOneOutcome(built, before, seed)
          else {
            expect(built).toMatchObject({ code: 'originChanged' })
            refused++
          }
        },
      )
      await fc.assert(property, { numRuns })
      // Of a few cases, more than half may be refused by chance.
      const mostRefused = numRuns < 30 ? numRuns + 1 : numRuns / 2
      expect(refused).toBeLessThan(kinds === 'existence' ? 1 : mostRefused)
    },
  )
}
