import fc from 'fast-check'
import { inSlices } from '../../../dev/requests.ts'
import { type Alphabet, valuePool } from './alphabet.ts'
import type { Case } from './cases.ts'
import type { Graph, Node, Relationship } from './graph.ts'
import type { Request } from './requests.ts'

/** More nodes than one read fetches. */
const members = 1_030
/** More sub-requests than one worker builds, so the packet is built in slices. */
const subRequests = 25

interface Choice {
  /** A large multi that is built in slices, rather than one request whose `toLayer` reaches the nodes in chunks. */
  isSliced: boolean
  /** Follows one type outgoing and one incoming, rather than both in both directions. */
  isDirected: boolean
}

/**
 * Cases with more nodes than one read fetches. Relationships cross the boundaries of chunks and slices, from earlier
 * nodes to later ones and from later ones to earlier ones.
 */
export const largeCases = (names: Alphabet, { isSliced, isDirected }: Choice): fc.Arbitrary<Case> =>
  fc
    .record({
      // Of both types at least three relationships cross the last boundary in each order.
      step: fc.integer({ min: 10, max: members - 10 }),
      metadata: fc.boolean(),
      byId: fc.constantFrom(
        {},
        { relationshipIdField: 'grn' },
        { relationshipIdField: 'grn', deleteRelationshipById: true },
      ),
      numbers: fc.constantFrom<('plain' | 'strict')[]>('plain', 'strict'),
      orderSeed: fc.nat(),
    })
    .map(({ step, metadata, byId, numbers, orderSeed }) => {
      const origin = originOf(names, step)
      const relationships = isDirected ? ['GEN_T>', '<GEN_V'] : ['GEN_T', 'GEN_V']
      const fields = { relationships, metadata, numbers, mappedIndices: names.mappedIndices, ...byId }
      const ids = origin.nodes.slice(1).map(({ properties }) => `${properties.id}`)
      const slices = inSlices(ids, Math.ceil(members / subRequests))
      const requests: Request[] = isSliced
        ? slices.map((originIds) => ({ originIds, ...fields }))
        : [{ originIds: ['root'], toLayer: ['GEN_U>'], ...fields }]
      const delivery = { stored: true, batchsize: 700, orderSeed }
      return { origin, target: targetOf(origin), requests, twin: null, delivery, sizes: null }
    })

/** A node that originIds find by the default label; a fifth of them are identified by another label. */
const member = ({ a, c, x }: Alphabet, index: number): Node => ({
  labels: index % 5 === 0 ? [a, c, x] : [a],
  properties: {
    id: index % 7 === 0 ? BigInt(index) : `m${index}`,
    ...(index % 3 === 0 ? { rank: valuePool[index % valuePool.length] } : {}),
    ...(index % 50 === 0 ? { secret: 'origin', search: 's' } : { name: 'usual' }),
    ...(index % 5 === 0 ? { index: c } : {}),
  },
})

const typeAt = (index: number) => (index % 3 === 0 ? 'GEN_V' : 'GEN_T')

function originOf(names: Alphabet, step: number): Graph {
  const nodes: Node[] = [{ labels: [names.a], properties: { id: 'root' } }]
  const relationships: Relationship[] = []
  for (let index = 1; index <= members; index++) {
    nodes.push(member(names, index))
    relationships.push({ type: 'GEN_U', from: 0, to: index, properties: {} })
    const wired = { type: typeAt(index), from: index, to: 1 + ((index + step) % members) }
    const since = valuePool[index % 4]
    relationships.push({ ...wired, properties: { grn: names.relationshipId(index), since } })
    if (index % 40 === 0) relationships.push({ ...wired, properties: { grn: `parallel ${index}`, since } })
  }
  return { nodes, relationships }
}

/** Every second node, with a relationship to its neighbour that is absent from the origin. */
function targetOf({ nodes }: Graph): Graph {
  const kept = nodes
    .filter((_, index) => index % 2 === 0)
    .map(({ labels, properties: { id } }) => ({ labels, properties: { id, stale: true } }))
  const relationships = kept.map((_, from) => ({
    type: typeAt(from),
    from,
    to: (from + 1) % kept.length,
    properties: { grn: `stale ${from}` },
  }))
  return { nodes: kept, relationships }
}
