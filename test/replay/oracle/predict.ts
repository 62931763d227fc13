import { differences } from '../../../dev/replay/compare-graphs.ts'
import type { Case } from '../generator/cases.ts'
import { type Graph, graphText } from '../generator/graph.ts'
import { admitted, bears } from './identities.ts'
import { applied, identitiesOf, type Operation } from './operations.ts'
import { operationsOf, postbackOf } from './packet-operations.ts'
import { type Plan, planOf } from './plan.ts'
import { type Refusal, refusalsByData } from './refusals.ts'
import { brokenRules, disagreements, disagreementsByData } from './rules.ts'

/** Predicts a case's outcome in memory from specification and contract. Shares no code with the product. */
export interface Prediction {
  /** Reasons for refusal; without any, the case must succeed. */
  refusals: readonly Refusal[]
  plans: readonly Plan[]
}

/** Element ids of the origin's relationships, in order, at each of its two addresses. */
export interface ElementIds {
  here: readonly string[]
  elsewhere: readonly string[]
}

export function predict({ origin, requests }: Case, elementIds: ElementIds): Prediction {
  const broken = [...requests.flatMap(brokenRules), ...disagreements(requests)]
  const plans = requests.map((request) =>
    planOf(origin, request.isElsewhere ? elementIds.elsewhere : elementIds.here, request),
  )
  const byData = [...disagreementsByData(plans), ...plans.flatMap(refusalsByData)]
  return { refusals: broken.some(({ isSure }) => isSure) ? broken : [...broken, ...byData], plans }
}

/** The expected state of a target after the replay. */
export interface Outcome {
  operations: readonly Operation[]
  /** The generated target, reduced to what contract 5 supposes of one. */
  before: Graph
  after: Graph
  afterPostback: Graph
  /** Whether one identity matches two target nodes, or one node two identities; contract 5 promises nothing then. */
  isAmbiguous: boolean
  /** Whether the outcome depends on replay order; such a case must be refused. */
  dependsOnOrder: boolean
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
    isAmbiguous,
    dependsOnOrder,
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
