import type { Graph } from '../generator/graph.ts'
import type { Identity } from '../oracle/identities.ts'
import { bears } from '../oracle/identities.ts'
import { cleanupsIn, deletes, published, type Seen, type Situation, upserts } from './situations.ts'

const found = ({ before }: Seen, identity: Identity) => before.nodes.find((node) => bears(node, identity))
const endsAt = (graph: Graph, from: Identity, to: Identity, type: string) =>
  graph.relationships.filter((it) => {
    const [start, end] = [graph.nodes[it.from], graph.nodes[it.to]]
    return it.type === type && start !== undefined && end !== undefined && bears(start, from) && bears(end, to)
  })

/** Whether any upserted node that the target already had meets the condition. */
const upserted = (
  it: Seen,
  fits: (had: Record<string, unknown>, gets: Record<string, unknown>, kept: readonly string[]) => boolean,
) =>
  it.isFine &&
  upserts(it).some(({ identity, properties, kept }) => {
    const node = found(it, identity)
    return node !== undefined && fits(node.properties, properties, kept)
  })

const relabelled = (
  it: Seen,
  fits: (had: readonly string[], added: readonly string[], removed: readonly string[]) => boolean,
) =>
  it.isFine &&
  upserts(it).some(({ identity, added, removed }) => {
    const node = found(it, identity)
    return node !== undefined && fits(node.labels, added, removed)
  })

/** Situations of targets before the replay, and effects of the replay, that must occur. */
export const situationsOfTargets: Situation[] = [
  {
    name: 'a published relationship that the target has twice',
    atLeast: 13,
    occurs: (it) =>
      it.isFine && published(it).some(({ from, to, type }) => endsAt(it.before, from, to, type).length > 1),
  },
  {
    name: 'a published relationship that the target has the other way around',
    atLeast: 15,
    occurs: (it) =>
      it.isFine && published(it).some(({ from, to, type }) => endsAt(it.before, to, from, type).length > 0),
  },
  { name: 'a stale relationship is deleted', atLeast: 14, occurs: (it) => it.isFine && deletes(it, cleanupsIn(it)) },
  {
    name: 'a cleanup keeps one and deletes another',
    atLeast: 4,
    occurs: (it) =>
      it.isFine &&
      cleanupsIn(it).some((one) => {
        const keepsSome = 'ids' in one.keeps ? one.keeps.ids.length > 0 : one.keeps.outgoing.length > 0
        return keepsSome && deletes(it, [one])
      }),
  },
  {
    name: 'a stale property is removed',
    atLeast: 19,
    occurs: (it) =>
      upserted(it, (had, gets, kept) => Object.keys(had).some((key) => !(key in gets) && !kept.includes(key))),
  },
  {
    name: 'a stale label stays',
    atLeast: 15,
    occurs: (it) =>
      relabelled(it, (had, added, removed) => had.some((label) => ![...added, ...removed].includes(label))),
  },
  {
    name: 'a label is added',
    atLeast: 7,
    occurs: (it) => relabelled(it, (had, added) => added.some((label) => !had.includes(label))),
  },
  {
    name: 'a dynamic label is removed',
    atLeast: 6,
    occurs: (it) => relabelled(it, (had, _added, removed) => removed.some((label) => had.includes(label))),
  },
  {
    name: 'a protected property of the target survives',
    atLeast: 9,
    occurs: (it) => upserted(it, (had, _gets, kept) => kept.includes('secret') && 'secret' in had),
  },
  {
    name: 'a protected property of the origin is not published',
    atLeast: 9,
    occurs: (it) =>
      it.isFine &&
      it.plans.some(
        ({ publishesNodes, selection, origin, request }) =>
          publishesNodes &&
          request.protectedNodeProperties?.includes('secret') &&
          selection.targeted.some((index) => 'secret' in (origin.nodes[index]?.properties ?? {})),
      ),
  },
  {
    name: 'a protected property of a relationship survives',
    atLeast: 8,
    occurs: (it) =>
      it.isFine &&
      published(it).some(
        ({ kept, from, to, type }) =>
          kept.includes('mine') && endsAt(it.before, from, to, type).some(({ properties }) => 'mine' in properties),
      ),
  },
  {
    name: 'a deleted property that the target has',
    atLeast: 7,
    occurs: (it) =>
      it.plans.some(({ request }) => request.deleteProperties?.includes('nick')) &&
      upserted(it, (had) => 'nick' in had),
  },
  {
    name: 'a deleted property that the origin has',
    atLeast: 5,
    occurs: (it) =>
      it.isFine &&
      it.plans.some(
        ({ publishesNodes, selection, origin, request }) =>
          publishesNodes &&
          request.deleteProperties?.includes('nick') &&
          selection.targeted.some((index) => 'nick' in (origin.nodes[index]?.properties ?? {})),
      ),
  },
  {
    name: 'an id is 5.0 on one side and 5 on the other',
    atLeast: 2,
    occurs: (it) =>
      it.isFine &&
      upserts(it).some(({ identity }) => {
        const had = found(it, identity)?.properties[identity.key]
        return had !== undefined && typeof had !== typeof identity.value
      }),
  },
]
