import { type BoundModel, createBinding } from '../../request/bound-model.ts'
import { hashOfIndices, type IdentityRule, identityLabel, identityRule, type NodeKeys } from '../../request/identity.ts'
import type { NodeSetting } from '../../request/option-agreement.ts'

/** How a sub-request identifies and publishes nodes, as plain data: equal treatments cannot conflict. */
export interface NodeTreatment {
  /** The request's `dbUrl` and database. */
  origin: string
  mappedIndices: Readonly<Record<string, string>>
  indexLabel: string
  /** null if no nodes are published. */
  nodeSettings: NodeSetting[] | null
}

/** The treatments by sub-requests of one origin. */
interface Grouped {
  /** The distinct identity rules, by the hashes of their `mappedIndices`. */
  rules: Map<string, IdentityRule>
  /** The settings with which nodes are published, by index label. */
  settings: Map<string, Set<string>>
  /** Cached answers of `isIdentifiedOtherwise`, by everything that they depend on. */
  answers: Map<string, boolean>
}

/** Completes treatments, made from the requests as they were sent, by the model that the requests are bound to. */
export function boundTreatments(
  treatments: readonly NodeTreatment[],
  model: BoundModel | null,
): readonly NodeTreatment[] {
  if (model === null) return treatments
  const { indicesOf } = createBinding(model)
  return treatments.map((treatment) => {
    const { mappedIndices: given, indexLabel } = treatment
    const mappedIndices = indicesOf({ mappedIndices: given, ...(indexLabel === '' ? {} : { index: indexLabel }) })
    return { ...treatment, mappedIndices, indexLabel: indexLabel || (mappedIndices.DEFAULT_INDEX ?? '') }
  })
}

// The nodes of a packet mostly have few distinct sets of labels.
const answersAtMost = 1_000

/**
 * How the other sub-requests of a multi treat a node that one of them reads. Groups treatments by what decides each
 * answer, so that the cost per node does not grow with the number of sub-requests that agree: 10,000 may differ in
 * `index` alone.
 */
export function groupTreatments(treatments: readonly NodeTreatment[]) {
  const origins = new Map<string, Grouped>()
  // The distinct identity rules, each with the origin whose nodes it identifies; null if it applies to several.
  const distinct = new Map<string, { rule: IdentityRule; dbUrl: string | null }>()
  for (const { origin: dbUrl, mappedIndices, indexLabel, nodeSettings } of treatments) {
    const origin = origins.get(dbUrl) ?? { rules: new Map(), settings: new Map(), answers: new Map() }
    origins.set(dbUrl, origin)
    const rule = identityRule(mappedIndices)
    const ruleHash = hashOfIndices(mappedIndices)
    origin.rules.set(ruleHash, rule)
    const known = distinct.get(ruleHash)
    distinct.set(ruleHash, { rule, dbUrl: known === undefined || known.dbUrl === dbUrl ? dbUrl : null })
    if (nodeSettings === null) continue
    const settings = origin.settings.get(indexLabel) ?? new Set()
    origin.settings.set(indexLabel, settings.add(JSON.stringify(nodeSettings)))
  }
  // The origin that identifies nodes by a label and an id property; null if there are several.
  const dbUrls = new Map<string, string | null>()
  for (const { rule, dbUrl } of distinct.values()) {
    for (const names of rule.idProperties) {
      const text = textOf(...names)
      dbUrls.set(text, dbUrls.has(text) && dbUrls.get(text) !== dbUrl ? null : dbUrl)
    }
  }

  return {
    /** Whether a sub-request with another origin may identify nodes by this label and id property. */
    isKnownElsewhere(dbUrl: string, label: string, idProperty: string): boolean {
      const known = dbUrls.get(textOf(label, idProperty))
      return known !== undefined && known !== dbUrl
    },
    /** Whether a sub-request with this origin identifies a node with these keys by another label or id property. */
    isIdentifiedOtherwise(dbUrl: string, { labels, properties }: NodeKeys, label: string, idProperty: string): boolean {
      const { rules, answers } = origins.get(dbUrl) as Grouped
      // A rule considers the property `index` only if it names one of the labels.
      const index = properties.unmasked.text('index') ?? ''
      const named = labels.includes(index) ? index : ''
      const key = textOf(label, idProperty, named, ...labels)
      const known = answers.get(key)
      if (known !== undefined) return known
      const isOther = [...rules.values()].some((rule) => {
        const other = identityLabel(rule, labels, named)
        return other !== null && (other !== label || rule.idProperties.get(other) !== idProperty)
      })
      if (answers.size >= answersAtMost) answers.clear()
      answers.set(key, isOther)
      return isOther
    },
    /** Whether a sub-request with this origin publishes nodes with one of these labels with other settings. */
    isPublishedOtherwise(dbUrl: string, labels: readonly string[], own: string): boolean {
      const { settings } = origins.get(dbUrl) as Grouped
      return labels.some((label) => {
        const set = settings.get(label)
        return set !== undefined && (set.size > 1 || !set.has(own))
      })
    },
  }
}

const textOf = (...names: readonly string[]) => names.join('\u0000')
