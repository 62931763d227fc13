import { equalIds, type Relationship } from '../generator/graph.ts'
import { type Flaw, isMapped } from '../oracle/identities.ts'
import { isBytes, relationshipAt, unwritableNodeKeys, unwritableRelationshipKeys } from '../oracle/plan.ts'
import { cleanupsIn, farEndsOf, flawOf, nodesOf, published, type Seen, type Situation, upserts } from './situations.ts'

const flaws: Flaw[] = ['no label', 'no id', 'NaN id', 'duplicate']

/** Whether a packet has two relationships in the given relation. */
const somePair = ({ plans }: Seen, stand: (a: Relationship, b: Relationship, idField: string | undefined) => boolean) =>
  plans.some((plan) =>
    plan.candidates.some((one) =>
      plan.candidates.some(
        (other) =>
          one !== other &&
          stand(relationshipAt(plan, one), relationshipAt(plan, other), plan.request.relationshipIdField),
      ),
    ),
  )

const areParallel = (a: Relationship, b: Relationship) => a.type === b.type && a.from === b.from && a.to === b.to
const areMirrored = (a: Relationship, b: Relationship) =>
  a.type === b.type && a.from === b.to && a.to === b.from && a.from !== a.to
const isOtherType = (value: unknown) => typeof value === 'object' || typeof value === 'boolean'
const hasId = ({ properties }: Relationship) => properties.grn !== undefined
const byText = (values: readonly unknown[]) =>
  values.some((value) => typeof value === 'bigint' && values.includes(`${value}`))

const withFlaw = (it: Seen, flaw: Flaw) =>
  it.plans.some((plan) => nodesOf(plan).some((index) => flawOf(plan, index) === flaw))
const withBytes = ({ plans }: Seen, of: 'node' | 'relationship') =>
  plans.some((plan) =>
    of === 'node'
      ? plan.publishesNodes && plan.selection.targeted.some((index) => unwritableNodeKeys(plan, index).length > 0)
      : plan.candidates.some((index) => unwritableRelationshipKeys(plan, index).length > 0),
  )

/** Situations of origins that must occur. */
export const situationsOfOrigins: Situation[] = [
  {
    name: 'a published node with several mapped labels',
    atLeast: 15,
    occurs: (it) =>
      it.isFine &&
      upserts(it).some(({ added }) => {
        const mapping = it.plans[0]?.request.mappedIndices ?? {}
        return added.filter((label) => isMapped(mapping, label)).length > 1
      }),
  },
  {
    name: 'a published node whose index names a label that it lacks',
    atLeast: 6,
    occurs: (it) =>
      it.isFine &&
      upserts(it).some(({ added, properties: { index } }) => typeof index === 'string' && !added.includes(index)),
  },
  {
    name: 'a node whose id is no string or number',
    atLeast: 5,
    occurs: (it) =>
      it.isFine &&
      [...upserts(it).map(({ identity }) => identity), ...published(it).flatMap(({ from, to }) => [from, to])].some(
        ({ value }) => isOtherType(value),
      ),
  },
  {
    name: 'a published relationship whose id is no string or number',
    atLeast: 3,
    occurs: (it) =>
      it.isFine && published(it).some((one) => isOtherType(one.properties[one.relationshipIdField ?? ''])),
  },
  ...flaws.flatMap((flaw): Situation[] => [
    { name: `${flaw}: refused`, atLeast: 2, occurs: (it) => it.isRefused && withFlaw(it, flaw) },
    { name: `${flaw}: skipped`, atLeast: 2, occurs: (it) => it.isFine && withFlaw(it, flaw) },
  ]),
  {
    name: 'an unpublishable far end: refused',
    atLeast: 6,
    occurs: (it) => it.isRefused && it.plans.some((plan) => farEndsOf(plan).some((index) => flawOf(plan, index))),
  },
  {
    name: 'an unpublishable far end: skipped',
    atLeast: 6,
    occurs: (it) => it.isFine && it.plans.some((plan) => farEndsOf(plan).some((index) => flawOf(plan, index))),
  },
  { name: 'bytes in a node: refused', atLeast: 2, occurs: (it) => it.isRefused && withBytes(it, 'node') },
  { name: 'bytes in a node: skipped', atLeast: 5, occurs: (it) => it.isFine && withBytes(it, 'node') },
  {
    name: 'bytes in a relationship: refused',
    atLeast: 6,
    occurs: (it) => it.isRefused && withBytes(it, 'relationship'),
  },
  { name: 'bytes in a relationship: skipped', atLeast: 6, occurs: (it) => it.isFine && withBytes(it, 'relationship') },
  {
    name: 'bytes under a protected or deleted key',
    atLeast: 2,
    occurs: (it) =>
      it.isFine &&
      it.plans.some((plan) => {
        const { protectedNodeProperties = [], deleteProperties = [] } = plan.request
        const keys = [...protectedNodeProperties, ...deleteProperties]
        const targeted = plan.publishesNodes ? plan.selection.targeted : []
        return targeted.some((index) => keys.some((key) => isBytes(plan.origin.nodes[index]?.properties[key])))
      }),
  },
  { name: 'mirror relationships', atLeast: 8, occurs: (it) => it.isFine && somePair(it, areMirrored) },
  {
    name: 'parallel relationships with ids',
    atLeast: 14,
    occurs: (it) => it.isFine && somePair(it, (a, b, field) => areParallel(a, b) && hasId(a) && hasId(b) && !!field),
  },
  {
    name: 'parallel relationships that nothing tells apart',
    atLeast: 3,
    occurs: (it) => it.isFine && somePair(it, (a, b, field) => areParallel(a, b) && !field),
  },
  {
    name: 'parallel relationships of which one has an id',
    atLeast: 1,
    occurs: (it) => it.isFine && somePair(it, (a, b) => areParallel(a, b) && hasId(a) && !hasId(b)),
  },
  {
    name: 'parallel relationships with one id',
    atLeast: 4,
    occurs: (it) =>
      it.isFine &&
      somePair(it, (a, b, field) => areParallel(a, b) && !!field && equalIds(a.properties.grn, b.properties.grn)),
  },
  {
    name: 'a relationship without the id that is asked for: refused',
    atLeast: 2,
    occurs: (it) => it.isRefused && lacksId(it),
  },
  {
    name: 'a relationship without the id that is asked for: skipped',
    atLeast: 2,
    occurs: (it) => it.isFine && lacksId(it),
  },
  {
    name: 'a self-loop',
    atLeast: 15,
    occurs: (it) =>
      it.isFine && published(it).some(({ from, to }) => from.label === to.label && equalIds(from.value, to.value)),
  },
  {
    name: 'several kinds of far end of one type',
    atLeast: 1,
    occurs: (it) =>
      it.isFine &&
      cleanupsIn(it).some(
        ({ keeps }) =>
          'outgoing' in keeps && new Set([...keeps.outgoing, ...keeps.incoming].map(({ far }) => far.label)).size > 1,
      ),
  },
  {
    name: 'node ids of equal text, one a number',
    atLeast: 3,
    occurs: (it) => it.isFine && byText(upserts(it).map(({ identity }) => identity.value)),
  },
  {
    name: 'relationship ids of equal text, one a number',
    atLeast: 4,
    occurs: (it) =>
      it.isFine &&
      byText(published(it).map(({ relationshipIdField, properties }) => properties[relationshipIdField ?? ''])),
  },
]

const lacksId = ({ plans }: Seen) =>
  plans.some(
    (plan) =>
      plan.request.relationshipIdField !== undefined &&
      plan.candidates.some((index) => !hasId(relationshipAt(plan, index))),
  )
