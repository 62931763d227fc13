import type { BuildSizes } from '../../../shared/read/reading.ts'
import type { Plan } from '../oracle/plan.ts'
import { relationshipsAt } from '../oracle/select.ts'
import type { Seen, Situation } from './situations.ts'

const somePlan = ({ isFine, given: { sizes }, plans }: Seen, fits: (plan: Plan, sizes: BuildSizes) => boolean) =>
  isFine && sizes !== null && plans.some((plan) => fits(plan, sizes))

/** The numbers of relationships of each type at each targeted node. */
const countsOf = ({ origin, selection: { targeted }, specs }: Plan): number[][] =>
  specs.map((spec) => targeted.map((node) => relationshipsAt(origin, node, spec).length))

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)

/** Boundaries between what is read at once that must be crossed. */
export const situationsOfSizes: Situation[] = [
  {
    name: 'more targeted nodes than a chunk',
    atLeast: 5,
    occurs: (it) => somePlan(it, ({ selection: { targeted } }, { chunk }) => targeted.length > chunk),
  },
  {
    name: 'relationships of a type at nodes of several chunks',
    atLeast: 1,
    occurs: (it) =>
      somePlan(it, (plan, { chunk }) =>
        countsOf(plan).some((counts) => counts.filter((count) => count > 0).length > chunk),
      ),
  },
  {
    name: 'nodes read again after a probe',
    atLeast: 2,
    occurs: (it) =>
      somePlan(
        it,
        ({ publishesNodes, selection: { targeted } }, { probe, chunk }) =>
          publishesNodes && Math.min(chunk, targeted.length) >= probe,
      ),
  },
  {
    name: 'relationships of one node read again after a probe',
    atLeast: 1,
    occurs: (it) =>
      somePlan(it, (plan, { probe, group }) =>
        countsOf(plan).some((counts) => counts.some((count) => count >= probe && count <= group)),
      ),
  },
  {
    name: 'relationships of several nodes of a chunk in several groups',
    atLeast: 2,
    occurs: (it) =>
      somePlan(it, (plan, { group, chunk }) =>
        countsOf(plan).some(
          (counts) => counts.length <= chunk && sum(counts) > group && counts.filter((count) => count > 0).length > 1,
        ),
      ),
  },
  {
    name: 'a node with more relationships of a type than a group',
    atLeast: 8,
    occurs: (it) =>
      somePlan(it, (plan, { group }) =>
        countsOf(plan)
          .flat()
          .some((count) => count > group),
      ),
  },
]
