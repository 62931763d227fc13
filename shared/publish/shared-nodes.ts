import * as errors from '../errors/catalogue.ts'
import { type Identity, type IdentityRule, identityLabel, idKey, idText, type NodeKeys } from './identity.ts'
import { nodeSettings } from './option-agreement.ts'
import { planOf } from './plan.ts'
import type { InternalId } from './reads.ts'
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

/** All that decides how a sub-request sees a node; equal views cannot disagree. */
interface View {
  dbUrl: string
  rule: IdentityRule
  indexLabel: string
  /** As one text; null where no nodes are published. */
  nodeSettings: string | null
}

/**
 * Compares what the sub-requests of a packet see, while they are read. Only nodes that another one could see otherwise
 * are remembered, so a batch that shares its settings costs nothing.
 * @returns the watch of the sub-request with that index.
 */
export function watchSharedNodes(requests: readonly PublishRequest[]): (at: number) => NodeWatch {
  const distinct = new Map<string, View>()
  const views = requests.map((request) => {
    const { key, view } = viewOf(request)
    const known = distinct.get(key) ?? view
    distinct.set(key, known)
    return known
  })
  const sights = new Map<string, { at: number; text: string }>()
  /** The sub-request that first saw the same thing, if it saw it otherwise. */
  const otherwise = (key: readonly unknown[], at: number, text: string): number | null => {
    const first = sights.get(key.join('\u0000'))
    if (!first) sights.set(key.join('\u0000'), { at, text })
    return first && first.text !== text ? first.at : null
  }

  return (at) => {
    const view = views[at] as View
    const others = [...distinct.values()].filter((other) => other !== view)
    const neighbours = others.filter(({ dbUrl }) => dbUrl === view.dbUrl)
    const strangers = others.filter(({ dbUrl }) => dbUrl !== view.dbUrl)

    function refuse(field: string, message: string): never {
      throw errors.invalidRequest([{ path: `[${at}].${field}`, message }])
    }

    function missed(identity: Identity, id: unknown) {
      const { label, idProperty } = identity
      if (!strangers.some(({ rule }) => rule.idProperties.get(label) === idProperty)) return
      const first = otherwise(['identity', label, idProperty, idKey(id)], at, view.dbUrl)
      if (first !== null) refuse('dbUrl', `must be the same as in [${first}], which publishes ${nameOf(identity)} too`)
    }

    return {
      missed,
      identified(node, keys, identity, id) {
        missed(identity, id)
        const isSeenOtherwise = neighbours.some(({ rule }) => {
          const label = identityLabel(rule, keys)
          return label !== null && (label !== identity.label || rule.idProperties.get(label) !== identity.idProperty)
        })
        if (!isSeenOtherwise) return
        const first = otherwise(['node', view.dbUrl, node], at, `${identity.label}\u0000${identity.idProperty}`)
        if (first !== null) refuse('mappedIndices', `${nameOf(identity)} is identified otherwise in [${first}]`)
      },
      published(node, labels, identity) {
        const isPublishedOtherwise = neighbours.some(
          (other) =>
            other.nodeSettings !== null &&
            other.nodeSettings !== view.nodeSettings &&
            labels.includes(other.indexLabel),
        )
        if (!isPublishedOtherwise) return
        const first = otherwise(['upsert', view.dbUrl, node], at, view.nodeSettings ?? '')
        if (first === null) return
        const field = disagreeing(requests[at] as PublishRequest, requests[first] as PublishRequest)
        refuse(field, `must be the same as in [${first}], which publishes ${nameOf(identity)} too`)
      },
    }
  }
}

function viewOf(request: PublishRequest): { key: string; view: View } {
  const { dbUrl, mappedIndices } = request
  const { identity: rule, index, publishesNodes } = planOf(request)
  const settings = publishesNodes ? nodeSettings(request).map(({ setting }) => setting) : null
  const view = { dbUrl, rule, indexLabel: index.label, nodeSettings: settings && JSON.stringify(settings) }
  return { key: JSON.stringify([dbUrl, mappedIndices, index.label, settings]), view }
}

function disagreeing(a: PublishRequest, b: PublishRequest): string {
  const others = nodeSettings(b)
  return nodeSettings(a).find(({ setting }, index) => setting !== others[index]?.setting)?.field as string
}

const nameOf = ({ label, idProperty, id }: Identity) => `the "${label}" with "${idProperty}" "${idText(id)}"`
