import { type Identity, mergeText, nameOf } from '../../../packet/identity.ts'
import * as errors from '../../errors/catalogue.ts'
import { atOnce, type Steps } from '../../lifecycle/turns.ts'
import type { InternalId } from '../../read/internal-ids.ts'
import type { PublishRequest } from '../../request/fields.ts'
import { hashOfIndices, type NodeKeys, onceForEach } from '../../request/identity.ts'
import { type NodeSetting, nodeSettings } from '../../request/option-agreement.ts'
import { type Plan, planOf } from '../../request/plan.ts'
import { groupTreatments, type NodeTreatment } from './treatments.ts'

/**
 * Observes what one sub-request of a multi does with nodes that other sub-requests may publish, too. Every method
 * throws invalidRequest (400), naming both sub-requests and an id, if the result would depend on the order of replay.
 * Contract 5, order independence.
 */
export interface ConflictDetector {
  identified(node: InternalId, keys: NodeKeys, identity: Identity): void
  published(node: InternalId, labels: readonly string[], identity: Identity): void
  /** Call this for a node that the origin does not have, and whose relationships on the target are cleaned up. */
  missed(identity: Identity): void
}

/** What a sub-request did with a node. All sub-requests with that node must agree on the option `field`. */
export interface Observation {
  thing: string
  /** Index of the sub-request in its multi. */
  at: number
  text: string
  field: 'dbUrl' | 'mappedIndices' | 'nodeSettings'
  /** The node, as named in an error. */
  name: string
}

type Observations = ReturnType<typeof createObservations>

/** The first observation of each node that another sub-request could treat differently. */
export function createObservations() {
  const first = new Map<string, Observation>()
  return {
    /** @throws invalidRequest (400) when an earlier observation of the same thing differs. */
    record(observation: Observation): void {
      const earlier = first.get(observation.thing)
      if (earlier === undefined) first.set(observation.thing, observation)
      else if (earlier.text !== observation.text) throw disagreement(earlier, observation)
    },
    all: () => first.values(),
  }
}

function disagreement(earlier: Observation, { at, text, field, name }: Observation): Error {
  const refused = (path: string, message: string) => errors.invalidRequest([{ path: `[${at}].${path}`, message }])
  if (field === 'mappedIndices') return refused(field, `${name} is identified otherwise in [${earlier.at}]`)
  const differing = (field === 'dbUrl' ? differingOrigin : differingSetting)(text, earlier.text)
  return refused(differing, `must be the same as in [${earlier.at}], which publishes ${name} too`)
}

/** The field in which two origins differ, given their names. */
const differingOrigin = (origin: string, other: string) =>
  origin.split(' ')[0] === other.split(' ')[0] ? 'database' : 'dbUrl'

/** The field of the first setting that differs between two lists. */
function differingSetting(...texts: [string, string]): string {
  const [settings, others] = texts.map((text): NodeSetting[] => JSON.parse(text)) as [NodeSetting[], NodeSetting[]]
  return settings.find(({ setting }, index) => setting !== others[index]?.setting)?.field as string
}

export const distinctTreatments = (requests: readonly PublishRequest[]): NodeTreatment[] =>
  atOnce(treatmentSteps(requests))

/** The distinct treatments of nodes by a multi's sub-requests. Each step handles one sub-request. */
export function* treatmentSteps(requests: readonly PublishRequest[]): Steps<NodeTreatment[]> {
  const distinct = new Map<string, NodeTreatment>()
  for (const request of requests) {
    const treatment = treatmentOf(planOf(request))
    const key = JSON.stringify({ ...treatment, mappedIndices: hashOfIndices(treatment.mappedIndices) })
    if (!distinct.has(key)) distinct.set(key, treatment)
    yield
  }
  return [...distinct.values()]
}

const treatmentOf = (plan: Plan): NodeTreatment => ({
  origin: plan.origin,
  mappedIndices: plan.mappedIndices,
  indexLabel: plan.index.label,
  nodeSettings: plan.publishesNodes ? nodeSettings(plan) : null,
})

/** Computed once, because a dry run calls this for each of its slices. */
const grouped = onceForEach(groupTreatments)

/**
 * Compares how the sub-requests of a packet treat the nodes that they share, while the nodes are read. Remembers only
 * nodes that another sub-request could treat differently, so a multi with uniform settings costs nothing.
 * @param treatments the treatments of the whole multi.
 * @param observations what was recorded so far.
 * @returns a factory for the detector of the sub-request with that index in the multi.
 */
export function detectConflicts(treatments: readonly NodeTreatment[], observations: Observations) {
  const others = treatments.length > 1 ? grouped(treatments) : null

  return (plan: Plan, at: number): ConflictDetector => {
    if (others === null) return alone
    const { origin: dbUrl, nodeSettings: own } = treatmentOf(plan)
    const settings = own === null ? '' : JSON.stringify(own)
    const record = (field: Observation['field'], thing: readonly unknown[], text: string, identity: Identity) =>
      observations.record({ thing: [field, ...thing].join('\u0000'), at, text, field, name: nameOf(identity) })

    function missed(identity: Identity) {
      const { label, idProperty, id } = identity
      if (others?.isKnownElsewhere(dbUrl, label, idProperty)) {
        record('dbUrl', [label, idProperty, mergeText(id)], dbUrl, identity)
      }
    }

    return {
      missed,
      identified(node, keys, identity) {
        missed(identity)
        const { label, idProperty } = identity
        if (others.isIdentifiedOtherwise(dbUrl, keys, label, idProperty)) {
          record('mappedIndices', [dbUrl, node], `${label}\u0000${idProperty}`, identity)
        }
      },
      published(node, labels, identity) {
        if (others.isPublishedOtherwise(dbUrl, labels, settings)) {
          record('nodeSettings', [dbUrl, node], settings, identity)
        }
      },
    }
  }
}

/** Used when the sub-requests of a multi cannot conflict. */
const alone: ConflictDetector = { identified() {}, published() {}, missed() {} }
