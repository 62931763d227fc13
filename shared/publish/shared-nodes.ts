import * as errors from '../errors/catalogue.ts'
import { type Identity, idKey, idText, type NodeKeys } from './identity.ts'
import type { InternalId } from './internal-ids.ts'
import { type NodeSetting, nodeSettings } from './option-agreement.ts'
import { groupViews } from './other-views.ts'
import { originIndex } from './plan.ts'
import type { PublishRequest } from './request.ts'

/**
 * What one sub-request of a multi sees of nodes that others may see as well. All throw invalidRequest (400), naming
 * both sub-requests and an id, where the order of replay would decide. Contract 5, order independence.
 */
export interface NodeWatch {
  /** `id` is the identity's, as the driver read it. */
  identified(node: InternalId, keys: NodeKeys, identity: Identity, id: unknown): void
  published(node: InternalId, labels: readonly string[], identity: Identity): void
  /** The origin has no such node, and what the target has of it is cleaned up. */
  missed(identity: Identity, id: unknown): void
}

/** All that decides how a sub-request sees a node, as plain data: equal views cannot disagree. */
export interface View {
  dbUrl: string
  mappedIndices: Readonly<Record<string, string>>
  indexLabel: string
  /** null where no nodes are published. */
  nodeSettings: NodeSetting[] | null
}

/** That a sub-request saw something, and as what; `field` is what it must agree on with others that see it too. */
export interface Sight {
  thing: string
  /** Index of the sub-request in its multi. */
  at: number
  text: string
  field: 'dbUrl' | 'mappedIndices' | 'nodeSettings'
  /** The node, in words for an error. */
  name: string
}

/** What was seen first, by what it was: only nodes that another sub-request could see otherwise. */
export interface Sights {
  /** @throws invalidRequest (400) when the same thing was seen otherwise. */
  see(sight: Sight): void
  all(): Iterable<Sight>
}

export function createSights(): Sights {
  const first = new Map<string, Sight>()
  return {
    see(sight) {
      const earlier = first.get(sight.thing)
      if (earlier === undefined) first.set(sight.thing, sight)
      else if (earlier.text !== sight.text) throw disagreement(earlier, sight)
    },
    all: () => first.values(),
  }
}

function disagreement(earlier: Sight, { at, text, field, name }: Sight): Error {
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
 * Compares what the sub-requests of a packet see, while they are read. Only nodes that another one could see otherwise
 * are remembered, so a batch that shares its settings costs nothing.
 * @param views those of the whole multi. @param sights what was seen so far.
 * @returns the watch of a sub-request with that index in the multi.
 */
export function watchSharedNodes(views: readonly View[], sights: Sights) {
  const others = views.length > 1 ? groupViews(views) : null

  return (request: PublishRequest, at: number): NodeWatch => {
    if (others === null) return alone
    const { dbUrl, nodeSettings: own } = viewOf(request)
    const settings = own === null ? '' : JSON.stringify(own)
    const see = (field: Sight['field'], thing: readonly unknown[], text: string, identity: Identity) =>
      sights.see({ thing: [field, ...thing].join('\u0000'), at, text, field, name: nameOf(identity) })

    function missed(identity: Identity, id: unknown) {
      const { label, idProperty } = identity
      if (others?.isKnownElsewhere(dbUrl, label, idProperty)) {
        see('dbUrl', [label, idProperty, idKey(id)], dbUrl, identity)
      }
    }

    return {
      missed,
      identified(node, keys, identity, id) {
        missed(identity, id)
        const { label, idProperty } = identity
        if (others.isIdentifiedOtherwise(dbUrl, keys, label, idProperty)) {
          see('mappedIndices', [dbUrl, node], `${label}\u0000${idProperty}`, identity)
        }
      },
      published(node, labels, identity) {
        if (others.isPublishedOtherwise(dbUrl, labels, settings)) {
          see('nodeSettings', [dbUrl, node], settings, identity)
        }
      },
    }
  }
}

/** Nobody else looks. */
const alone: NodeWatch = { identified() {}, published() {}, missed() {} }

const nameOf = ({ label, idProperty, id }: Identity) => `the "${label}" with "${idProperty}" "${idText(id)}"`
