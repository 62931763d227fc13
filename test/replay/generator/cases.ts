import fc from 'fast-check'
import type { BuildSizes } from '../../../shared/read/reading.ts'
import type { Alphabet } from './alphabet.ts'
import { drafts, seldom, spoilers, styles } from './drafts.ts'
import { describeGraph, type Graph } from './graph.ts'
import { buildOrigin, originRecipes } from './origins.ts'
import { buildRequest, type Request } from './requests.ts'
import { buildTarget, targetRecipes } from './targets.ts'
import { differences, twinOf } from './variants.ts'

export interface Case {
  origin: Graph
  target: Graph
  requests: readonly Request[]
  /** The one or two options in which the two requests differ; null for unrelated requests. */
  twin: readonly string[] | null
  delivery: { stored: boolean; batchsize: number; orderSeed: number }
  /** The packet is built a second time with these, if given. */
  sizes: BuildSizes | null
}

/** Whether a case's packet is stored compressed. */
export const isCompressed = ({ stored, orderSeed }: Case['delivery']): boolean => stored && orderSeed % 3 === 0

const [small, smaller] = [fc.constantFrom(7, 5, 3, 1), fc.constantFrom(3, 2, 1)]

const deliveries = (stored: boolean, batchsizes: number[]): fc.Arbitrary<Case['delivery']> =>
  fc.record({
    stored: fc.constant(stored),
    batchsize: fc.constantFrom(...batchsizes),
    orderSeed: fc.noShrink(fc.nat()),
  })

/**
 * An origin, a dirty target, one to three sub-requests and a delivery mode. Shrinks to fewer and simpler ones.
 * @param twin the options in which two requests differ; null for unrelated requests.
 */
export const cases = (
  names: Alphabet,
  twin: fc.Arbitrary<readonly string[] | null> = seldom(
    3,
    fc.uniqueArray(fc.constantFrom(...differences), { minLength: 1, maxLength: 2 }),
  ),
): fc.Arbitrary<Case> =>
  fc
    .record({
      origin: originRecipes,
      target: targetRecipes,
      drafts: fc.array(drafts, { minLength: 1, maxLength: 3, size: 'max' }),
      style: styles,
      ownStyles: seldom(10, fc.array(styles, { minLength: 3, maxLength: 3 })),
      twin,
      spoiler: seldom(12, fc.tuple(fc.nat(2), spoilers(names))),
      delivery: fc.oneof(
        { weight: 5, arbitrary: deliveries(false, [5_000, 5_000, 5_000, 1, 2, 4]) },
        { weight: 1, arbitrary: deliveries(true, [5_000, 1, 2, 3]) },
      ),
      sizes: fc.record({ probe: smaller, group: smaller, chunk: small }),
    })
    .map(({ style, ownStyles, twin, spoiler, delivery, sizes, ...recipe }) => {
      const origin = buildOrigin(recipe.origin, names)
      // Requests by relationship id need the id property; sub-requests must mostly share it, or all would be refused.
      const isById = recipe.drafts.some(({ mode }) => mode === 'by id' || mode === 'hard filter')
      const shared = { ...style, relationshipIdField: style.relationshipIdField || isById }
      const drafted = recipe.drafts.map((draft, index): Request => {
        const request = buildRequest(draft, ownStyles?.[index] ?? shared, origin, names)
        return spoiler !== null && spoiler[0] % recipe.drafts.length === index ? { ...request, ...spoiler[1] } : request
      })
      const [first] = drafted as [Request]
      const requests = twin === null ? drafted : [first, twinOf(first, twin, names)]
      return { origin, target: buildTarget(recipe.target, origin, names), requests, twin, delivery, sizes }
    })

/** A readable form of a case. */
export const describeCase = ({ origin, target, requests, delivery, sizes }: Case): string =>
  [
    `origin\n${describeGraph(origin)}`,
    `target before\n${describeGraph(target)}`,
    ...requests.map((request, index) => `request ${index} ${JSON.stringify(request)}`),
    `delivery ${JSON.stringify(delivery)}`,
    `sizes ${JSON.stringify(sizes)}`,
  ].join('\n')
