import { differences } from '../../support/compare-graphs.ts'
import type { Case } from './cases.ts'
import { type Graph, graphText } from './graph.ts'
import { applied, identitiesOf, type Operation } from './operations.ts'
import { type Plan, planOf } from './plan.ts'
import { type Refusal, refusalsByData } from './refusals.ts'
import { brokenRules, disagreements, disagreementsByData } from './rules.ts'
import { admitted, bears } from './targets.ts'
import { operationsOf, postbackOf } from './write.ts'

/** What must come of a case, computed in memory from the words of seed and contract. Shares no code with the product. */
export interface Prediction {
  /** Reasons to refuse it; none, and it must be fine. */
  refusals: readonly Refusal[]
  plans: readonly Plan[]
}

/** `elementIds` are those that the origin gave to the relationships, in order. */
export function predict({ origin, requests }: Case, elementIds: readonly string[]): Prediction {
  const broken = [...requests.flatMap(brokenRules), ...disagreements(requests)]
  const plans = requests.map((request) => planOf(origin, elementIds, request))
  const byData = [...disagreementsByData(plans), ...plans.flatMap(refusalsByData)]
  return { refusals: broken.some(({ isSure }) => isSure) ? broken : [...broken, ...byData], plans }
}

/** What must stand on a target after the replay. */
export interface Outcome {
  operations: readonly Operation[]
  /** The generated target less what contract 5 does not suppose of one. */
  before: Graph
  after: Graph
  afterPostback: Graph
  /** Why the guarantee of contract 5 does not hold for this case, or null. */
  outside: string | null
}

export function outcomeOf({ plans }: Prediction, target: Graph, now: bigint): Outcome {
  const operations = plans.flatMap((plan) => operationsOf(plan, now))
  const identities = identitiesOf(operations)
  const before = admitted(target, identities)
  const after = applied(before, operations)
  const isAmbiguous =
    after.nodes.some((node) => identities.filter((identity) => bears(node, identity)).length > 1) ||
    identities.some((identity) => after.nodes.filter((node) => bears(node, identity)).length > 1)
  const dependsOnOrder = otherOrders(operations).some(
    (order) => differences(graphText(after), graphText(applied(before, order))).length > 0,
  )
  return {
    operations,
    before,
    after,
    afterPostback: applied(
      before,
      plans.flatMap((plan) => postbackOf(plan, now)),
    ),
    outside: isAmbiguous ? 'identities meet' : dependsOnOrder ? 'requests contradict each other' : null,
  }
}

function otherOrders(operations: readonly Operation[]): Operation[][] {
  const isCleanup = ({ kind }: Operation) => kind === 'cleanup'
  const [cleanups, upserts] = [operations.filter(isCleanup), operations.filter((it) => !isCleanup(it))]
  return [
    [...operations, ...operations],
    operations.toReversed(),
    [...cleanups, ...upserts],
    [...cleanups, ...upserts.toReversed()],
    [...upserts.toReversed(), ...cleanups],
  ]
}
