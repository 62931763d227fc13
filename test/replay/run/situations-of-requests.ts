import { isCompressed } from '../generator/cases.ts'
import type { Request } from '../generator/requests.ts'
import { differences } from '../generator/variants.ts'
import { applied, type Operation } from '../oracle/operations.ts'
import type { Plan } from '../oracle/plan.ts'
import { brokenRules, disagreements } from '../oracle/rules.ts'
import { revisits, select } from '../oracle/select.ts'
import { cleanupsIn, deletes, published, type Seen, type Situation, upserts } from './situations.ts'

const somePlan = (it: Seen, fits: (plan: Plan) => unknown) => it.isFine && it.plans.some((plan) => fits(plan))
const asked = (name: string, atLeast: number, fits: (request: Request) => unknown): Situation => ({
  name,
  atLeast,
  occurs: (it) => somePlan(it, ({ request }) => fits(request)),
})

const deletesBy = (it: Seen, kind: 'by id' | 'nothing left', only: boolean) =>
  somePlan(it, ({ cleanup, request }) => cleanup === kind && (request.relationshipDeleteOnly === true) === only) &&
  deletes(it, cleanupsIn(it))

type Keeps = Extract<Operation, { kind: 'cleanup' }>['keeps']
type KeptTogether = Extract<Keeps, { idField: unknown }>

const idsOf = ({ idField, outgoing, incoming }: KeptTogether) => ({
  key: idField as string,
  ids: [...outgoing, ...incoming].map(({ id }) => id),
})

/** Whether cleanups by end and id delete more than they would by each of these lists alone. */
function deletesMore(it: Seen, alone: (keeps: KeptTogether) => Keeps[]): boolean {
  const together = cleanupsIn(it).filter(({ keeps }) => 'idField' in keeps && keeps.idField !== null)
  const others = together.flatMap((one) => alone(one.keeps as KeptTogether).map((keeps) => ({ ...one, keeps })))
  return applied(it.before, together).relationships.length < applied(it.before, others).relationships.length
}

const isTwice = (operations: readonly Operation[], kind: 'node' | 'relationship') => {
  const texts = operations.flatMap((it) => {
    if (it.kind === 'node' && kind === 'node')
      return [`${it.identity.label} ${typeof it.identity.value} ${it.identity.value}`]
    if (it.kind !== 'relationship' || kind !== 'relationship') return []
    const id = it.properties[it.relationshipIdField ?? '']
    return [[it.type, it.from.label, it.from.value, it.to.label, it.to.value, typeof id, id].map(String).join(' ')]
  })
  return new Set(texts).size < texts.length
}

const searched = ({ origin, selection, request }: Plan, isLeftOut: (labels: readonly string[]) => unknown) =>
  request.searchIdField !== undefined &&
  selection.targeted.some((index) => {
    const { labels = [], properties = {} } = origin.nodes[index] ?? {}
    return properties.search !== undefined && isLeftOut(labels)
  })

const stamped = ({ before, afterPostback }: Seen, of: 'nodes' | 'relationships') =>
  afterPostback[of].some(({ properties }, index) => properties.stamp !== before[of][index]?.properties.stamp)

/** Situations of requests that must occur, with their outcomes. */
export const situationsOfRequests: Situation[] = [
  {
    name: 'a rule between fields is broken',
    atLeast: 8,
    occurs: (it) => it.isRefused && it.given.requests.flatMap(brokenRules).length > 0,
  },
  {
    name: 'sub-requests that disagree',
    atLeast: 4,
    occurs: (it) => it.isRefused && disagreements(it.given.requests).length > 0,
  },
  { name: 'a node of two sub-requests', atLeast: 3, occurs: (it) => it.isFine && isTwice(upserts(it), 'node') },
  {
    name: 'a relationship of two sub-requests',
    atLeast: 4,
    occurs: (it) => it.isFine && isTwice(published(it), 'relationship'),
  },
  {
    name: 'toLayer reaches something',
    atLeast: 6,
    occurs: (it) => somePlan(it, ({ request, selection }) => request.toLayer && selection.targeted.length > 0),
  },
  {
    name: 'a path of toLayer comes to a node again',
    atLeast: 6,
    occurs: (it) =>
      somePlan(it, ({ origin, request }) => {
        const starts = request.toLayer
          ? select(origin, { ...request, toLayer: [], targetFilter: undefined }).targeted
          : []
        return starts.some((start) => revisits(origin, request, [start]))
      }),
  },
  asked('outgoing only', 25, ({ relationships = [] }) => relationships.some((type) => type.endsWith('>'))),
  asked('incoming only', 24, ({ relationships = [] }) => relationships.some((type) => type.startsWith('<'))),
  {
    name: 'targetFilter leaves out one and keeps one',
    atLeast: 5,
    occurs: (it) =>
      somePlan(it, ({ origin, request, selection }) => {
        const all = select(origin, { ...request, targetFilter: undefined }).targeted.length
        return selection.targeted.length > 0 && selection.targeted.length < all
      }),
  },
  {
    name: 'hardFilterRelationships is satisfied',
    atLeast: 4,
    occurs: (it) =>
      somePlan(it, ({ request, selection }) => request.hardFilterRelationships && selection.named.length > 0),
  },
  {
    name: 'hardFilterRelationships refuses',
    atLeast: 7,
    occurs: (it) => it.isRefused && it.plans.some(({ request }) => request.hardFilterRelationships),
  },
  asked('nodes are selected by label', 12, ({ select }) => select),
  asked('nodes are selected by values', 6, ({ select }) => select?.some(({ where }) => where)),
  {
    name: 'nothing is selected',
    atLeast: 1,
    occurs: (it) => it.isRefused && it.plans.some(({ request, selection }) => request.select && selection.mistyped),
  },
  asked('relationshipIds with originIds', 14, ({ relationshipIds, originIds }) => relationshipIds && originIds),
  asked('relationshipIds without originIds', 9, ({ relationshipIds, originIds }) => relationshipIds && !originIds),
  {
    name: 'an origin id is missing where cleanup deletes for it',
    atLeast: 4,
    occurs: (it) =>
      somePlan(it, ({ selection, cleanup }) => selection.missingOriginIds.length > 0 && cleanup !== 'none') &&
      deletes(
        it,
        cleanupsIn(it).filter(
          ({ keeps }) => 'outgoing' in keeps && keeps.outgoing.length + keeps.incoming.length === 0,
        ),
      ),
  },
  {
    name: 'a relationship id is missing',
    atLeast: 13,
    occurs: (it) => somePlan(it, ({ selection }) => selection.missingRelationshipIds.length > 0),
  },
  { name: 'deleteRelationshipById deletes', atLeast: 3, occurs: (it) => deletesBy(it, 'by id', false) },
  asked(
    'relationshipDeleteOnly beside metadata',
    10,
    ({ relationshipDeleteOnly, metadata }) => relationshipDeleteOnly && metadata,
  ),
  {
    name: 'a cleanup deletes a relationship to a kept far end',
    atLeast: 3,
    occurs: (it) => it.isFine && deletesMore(it, (keeps) => [{ ...keeps, idField: null }]),
  },
  {
    name: 'a cleanup deletes a relationship that has a kept far end and a kept id, but not together',
    atLeast: 1,
    occurs: (it) => it.isFine && deletesMore(it, (keeps) => [{ ...keeps, idField: null }, idsOf(keeps)]),
  },
  { name: 'relationshipDeleteOnly deletes by id', atLeast: 5, occurs: (it) => deletesBy(it, 'by id', true) },
  {
    name: 'relationshipDeleteOnly deletes what has nothing left',
    atLeast: 3,
    occurs: (it) => deletesBy(it, 'nothing left', true),
  },
  asked('preventCleanup', 12, ({ preventCleanup, relationships = [] }) => preventCleanup && relationships.length > 0),
  {
    name: 'a cleanup is left out because it would delete what is skipped',
    atLeast: 3,
    occurs: (it) =>
      somePlan(
        it,
        ({ cleanup, skips, candidates, ...plan }) =>
          cleanup !== 'none' &&
          skips &&
          candidates.some((index) => {
            const { from, to } = plan.origin.relationships[index] ?? { from: 0, to: 0 }
            return plan.identities[from] === null || plan.identities[to] === null
          }),
      ),
  },
  asked('timestampRelationships', 21, (request) => request.timestampRelationships),
  { name: 'the postback packet stamps a node', atLeast: 8, occurs: (it) => it.isFine && stamped(it, 'nodes') },
  {
    name: 'the postback packet stamps a relationship',
    atLeast: 1,
    occurs: (it) => it.isFine && stamped(it, 'relationships'),
  },
  { name: 'nodes to search', atLeast: 17, occurs: (it) => somePlan(it, (plan) => searched(plan, () => true)) },
  {
    name: 'searchFilter leaves one out',
    atLeast: 7,
    occurs: (it) =>
      somePlan(it, (plan) =>
        searched(plan, (labels) => plan.request.searchFilter && !labels.includes(plan.request.searchFilter)),
      ),
  },
  {
    name: 'preventSearch leaves one out',
    atLeast: 9,
    occurs: (it) =>
      somePlan(it, (plan) =>
        searched(plan, (labels) => plan.request.preventSearch?.some((label) => labels.includes(label))),
      ),
  },
  {
    name: 'returned in several parts',
    atLeast: 14,
    occurs: ({ isFine, parts, given }) => isFine && parts > 1 && !given.delivery.stored,
  },
  {
    name: 'stored in several parts',
    atLeast: 4,
    occurs: ({ isFine, parts, given }) => isFine && parts > 1 && given.delivery.stored,
  },
  {
    name: 'stored compressed',
    atLeast: 2,
    occurs: ({ isFine, given }) => isFine && isCompressed(given.delivery),
  },
  ...differences.map(
    (option): Situation => ({
      name: `two requests that differ in ${option} alone`,
      atLeast: 1,
      occurs: ({ given: { twin } }) => twin?.length === 1 && twin[0] === option,
    }),
  ),
  asked('numbers are strict', 10, ({ numbers }) => numbers === 'strict'),
  {
    name: 'one sub-request fails and another skips what is unpublishable',
    atLeast: 1,
    occurs: (it) => it.isFine && new Set(it.plans.map(({ skips }) => skips)).size > 1,
  },
  {
    name: 'sub-requests of two databases',
    atLeast: 1,
    occurs: ({ given, isFine, isRefused }) =>
      (isFine || isRefused) && new Set(given.requests.map(({ isElsewhere }) => isElsewhere === true)).size > 1,
  },
  { name: 'fine', atLeast: 65, occurs: ({ isFine }) => isFine },
]
