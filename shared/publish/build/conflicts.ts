import * as errors from '../../errors/catalogue.ts'
import type { InternalId } from '../read/internal-ids.ts'
import type { PublishRequest } from '../request/fields.ts'
import { type Identity, idKey, idText, type NodeKeys } from '../request/identity.ts'
import { type NodeSetting, nodeSettings } from '../request/option-agreement.ts'
import { originIndex } from '../request/plan.ts'
import { groupViews } from './views.ts'

/**
 * Is told what one sub-request of a multi does with nodes that other sub-requests may publish, too. Every method throws
 * invalidRequest (400), naming both sub-requests and an id, where the result would depend on the order of replay.
 * Contract 5, order independence.
 */
export interface ConflictDetector {
  /** `id` is the identity's, as the driver read it. */
  identified(node: InternalId, keys: NodeKeys, identity: Identity, id: unknown): void
  published(node: InternalId, labels: readonly string[], identity: Identity): void
  /** The origin has no such node, and what the target has of it is cleaned up. */
  missed(identity: Identity, id: unknown): void
}

/** All that decides how a sub-request identifies and publishes nodes, as plain data: equal views cannot conflict. */
export interface View {
  dbUrl: string
  mappedIndices: Readonly<Record<string, string>>
  indexLabel: string
  /** null where no nodes are published. */
  nodeSettings: NodeSetting[] | null
}

/** What a sub-request did with a node. `field` is the option on which all sub-requests with that node must agree. */
export interface Observation {
  thing: string
  /** Index of the sub-request in its multi. */
  at: number
  text: string
  field: 'dbUrl' | 'mappedIndices' | 'nodeSettings'
  /** The node, in words for an error. */
  name: string
}

/** The first observation of each node that another sub-request could treat differently. */
export interface Observations {
  /** @throws invalidRequest (400) when an earlier observation of the same thing differs. */
  record(observation: Observation): void
  all(): Iterable<Observation>
}

export function createObservations(): Observations {
  const first = new Map<string, Observation>()
  return {
    record(observation) {
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
  const setting = field === 'dbUrl' ? field : differing(text, earlier.text)
  return refused(setting, `must be the same as in [${earlier.at}], which publishes ${name} too`)
}

/** The first of two lists of settings that is not the same. */
function differing(text: string, otherText: string): string {
  const others = JSON.parse(otherText) as NodeSetting[]
  const settings = JSON.parse(text) as NodeSetting[]
  return settings.find(({ setting }, index) => setting !== others[index]?.setting)?.field as string
}

/** The views of a multi's sub-requests, each once. */
export function distinctViews(requests: readonly PublishRequest[]): View[] {
  const distinct = new Map<string, View>()
  for (const request of requests) {
    const view = viewOf(request)
    const key = JSON.stringify(view)
    if (!distinct.has(key)) distinct.set(key, view)
  }
  return [...distinct.values()]
}

function viewOf(request: PublishRequest): View {
  const { dbUrl, mappedIndices, metadata, relationshipDeleteOnly } = request
  const publishesNodes = metadata === true && relationshipDeleteOnly !== true
  const indexLabel = originIndex(request).label
  return { dbUrl, mappedIndices, indexLabel, nodeSettings: publishesNodes ? nodeSettings(request) : null }
}

/**
 * Compares what the sub-requests of a packet do with the nodes they share, while they are read. Only nodes that another
 * sub-request could treat differently are remembered, so a multi whose sub-requests have the same settings costs nothing.
 * @param views those of the whole multi. @param observations what was recorded so far.
 * @returns makes the detector of the sub-request with that index in the multi.
 */
export function detectConflicts(views: readonly View[], observations: Observations) {
  const others = views.length > 1 ? groupViews(views) : null

  return (request: PublishRequest, at: number): ConflictDetector => {
    if (others === null) return alone
    const { dbUrl, nodeSettings: own } = viewOf(request)
    const settings = own === null ? '' : JSON.stringify(own)
    const record = (field: Observation['field'], thing: readonly unknown[], text: string, identity: Identity) =>
      observations.record({ thing: [field, ...thing].join('\u0000'), at, text, field, name: nameOf(identity) })

    function missed(identity: Identity, id: unknown) {
      const { label, idProperty } = identity
      if (others?.isKnownElsewhere(dbUrl, label, idProperty)) {
        record('dbUrl', [label, idProperty, idKey(id)], dbUrl, identity)
      }
    }

    return {
      missed,
      identified(node, keys, identity, id) {
        missed(identity, id)
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

/** For a multi whose sub-requests cannot conflict. */
const alone: ConflictDetector = { identified() {}, published() {}, missed() {} }

const nameOf = ({ label, idProperty, id }: Identity) => `the "${label}" with "${idProperty}" "${idText(id)}"`
