import type { Case } from '../generator/cases.ts'
import { type Flaw, identify } from '../oracle/identities.ts'
import { applied, type Operation } from '../oracle/operations.ts'
import type { Plan } from '../oracle/plan.ts'
import { outcomeOf, predict } from '../oracle/predict.ts'
import type { Run } from './run-case.ts'

/** A situation that must occur often: `atLeast` is a third of its usual count in 300 cases, at least 1. */
export interface Situation {
  name: string
  atLeast: number
  occurs: (seen: Seen) => boolean
}

/** A completed case, as situations inspect it. */
export interface Seen {
  given: Case
  plans: readonly Plan[]
  isFine: boolean
  isRefused: boolean
  before: NonNullable<Run['outcome']>['before']
  after: NonNullable<Run['outcome']>['after']
  afterPostback: NonNullable<Run['outcome']>['after']
  operations: readonly Operation[]
  parts: number
}

const nothing = { nodes: [], relationships: [] }

export const seen = (given: Case, { prediction, verdict, outcome, parts }: Run): Seen => ({
  given,
  plans: prediction.plans,
  isFine: verdict === 'fine',
  isRefused: verdict === 'refused',
  before: outcome?.before ?? nothing,
  after: outcome?.after ?? nothing,
  afterPostback: outcome?.afterPostback ?? nothing,
  operations: outcome?.operations ?? [],
  parts,
})

/**
 * What a run of the case is expected to show, by the oracle alone. Each operation takes a pair, and few take more, so the
 * packet has at least this many parts.
 */
export function foreseen(given: Case): Seen {
  const ids = given.origin.relationships.map((_, index) => `4:foreseen:${index}`)
  const prediction = predict(given, { here: ids, elsewhere: ids })
  const isRefused = prediction.refusals.length > 0
  const outcome = isRefused ? null : outcomeOf(prediction, given.target, 0n)
  const verdict = isRefused ? 'refused' : outcome?.isAmbiguous ? 'outside' : 'fine'
  const parts = Math.max(1, Math.ceil((outcome?.operations.length ?? 0) / given.delivery.batchsize))
  return seen(given, { prediction, verdict, outcome, parts, pairs: null })
}

/** Counts in how many cases each situation occurs. @param usual the number of cases that are to show all of them. */
export function createCount(situations: readonly Situation[], usual: number) {
  const needed = ({ atLeast }: Situation) => Math.ceil((atLeast * usual) / 300)
  const counts = new Map(situations.map(({ name }) => [name, 0]))
  return {
    add(given: Case, run: Run): void {
      const it = seen(given, run)
      for (const { name, occurs } of situations) if (occurs(it)) counts.set(name, (counts.get(name) as number) + 1)
    },
    /** The situations that occurred too rarely, and in how many more cases they must occur. */
    tooRare: () =>
      situations
        .map((situation) => ({ situation, lacking: needed(situation) - (counts.get(situation.name) as number) }))
        .filter(({ lacking }) => lacking > 0),
  }
}

/** Nodes of a plan's packet: targeted nodes and the ends of published relationships. */
export const nodesOf = ({ selection, candidates, origin }: Plan): number[] => [
  ...new Set([
    ...selection.targeted,
    ...candidates.flatMap((index) => [
      origin.relationships[index]?.from as number,
      origin.relationships[index]?.to as number,
    ]),
  ]),
]

export const farEndsOf = (plan: Plan): number[] =>
  nodesOf(plan).filter((index) => !plan.selection.targeted.includes(index))

export const flawOf = ({ origin, request }: Plan, index: number): Flaw | null => {
  const identity = identify(origin, origin.nodes[index] as Case['origin']['nodes'][number], request.mappedIndices)
  return typeof identity === 'string' ? identity : null
}

export const upserts = ({ operations }: Seen) =>
  operations.filter((it): it is Extract<Operation, { kind: 'node' }> => it.kind === 'node')

export const published = ({ operations }: Seen) =>
  operations.filter((it): it is Extract<Operation, { kind: 'relationship' }> => it.kind === 'relationship')

export const cleanupsIn = ({ operations }: Seen) =>
  operations.filter((it): it is Extract<Operation, { kind: 'cleanup' }> => it.kind === 'cleanup')

/** Whether any of these cleanups deletes a relationship of the target. */
export const deletes = ({ before }: Seen, cleanups: readonly Operation[]): boolean =>
  applied(before, cleanups).relationships.length < before.relationships.length
