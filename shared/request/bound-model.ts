import { isQuotable } from '../../packet/cypher/identifiers.ts'
import type { Issue } from '../errors/app-error.ts'
import { didYouMean, shown } from '../validation/issues.ts'
import type { PublishRequest } from './fields.ts'
import { defaultKeys, idPropertyOf, onceForEach } from './identity.ts'
import { maskIssuesOfModel } from './mask/mask-rules.ts'
import { everyLabel, literal } from './select.ts'

/** A property as a model implements it on a node type. */
export interface ModelledProperty {
  key: string
  /** The name of its type; absent if its values are not checked. */
  dataType?: string
  unique?: true
  indexed?: true
  required?: true
  /** A publish must have a rule for it in `mask` or `only`. */
  sensitive?: true
}

/** A version of a model, as a publish is bound to it when it is accepted. It is stored with the request. */
export interface BoundModel {
  /** The grn of the manager version. */
  version: string
  types: { label: string; properties: ModelledProperty[] }[]
  /** The keys of all its properties, implemented or not. */
  properties: string[]
}

type Indices = Readonly<Record<string, string>>

/**
 * Binds requests to a model: it supplies what their `mappedIndices` leave out, and must agree with what they name.
 * Contract 4.21.
 */
export function createBinding({ version, types, properties }: BoundModel) {
  const typeOf = new Map(types.map((type) => [type.label, type]))
  const keys = new Set(properties)
  const sensitive = types.filter((type) => type.properties.some((one) => one.sensitive))
  const derived = new Map(
    types.flatMap((type) => {
      const property = idPropertyIn(type.properties)
      const isUsable = property !== undefined && isQuotable(property) && isQuotable(type.label)
      return isUsable && !defaultKeys.includes(type.label) ? [[type.label, property] as const] : []
    }),
  )
  // Thousands of sub-requests may be bound to a model of thousands of node types: equal ones share their indices.
  const known = new Map<string, Indices>()

  function indicesOf({ mappedIndices: given = {}, index }: Partial<PublishRequest>): Indices {
    const equal = JSON.stringify([given, index])
    const made = known.get(equal)
    if (made !== undefined) return made
    const only = types.length === 1 ? types[0]?.label : undefined
    const label = given.DEFAULT_INDEX ?? index ?? only
    // Make only one object: each copy of thousands of entries takes as long as everything else.
    const all: Record<string, string> = Object.assign(Object.fromEntries(derived), given)
    const property = given.DEFAULT_ID_FIELD ?? (label === undefined ? undefined : idPropertyOf(all, label))
    if (label !== undefined) all.DEFAULT_INDEX = label
    if (property !== undefined) all.DEFAULT_ID_FIELD = property
    known.set(equal, all)
    return all
  }

  const ofModel = `of the model version ${version}`
  const noNodeType = (label: string) => `"${shown(label)}" is no node type ${ofModel}${guess(label, typeOf)}`

  function* indexIssues(request: Partial<PublishRequest>): Generator<Issue> {
    const { mappedIndices: given = {}, index, select } = request
    const { DEFAULT_INDEX: label, DEFAULT_ID_FIELD: property } = indicesOf(request)
    for (const [at, element] of (select ?? []).entries()) {
      const name = literal(element.label)
      if (element.label === everyLabel || typeOf.has(name)) continue
      yield { path: `select[${at}].label`, message: noNodeType(name) }
    }
    if (label === undefined && select === undefined) {
      const message = `the model version ${version} has ${types.length} node types: give index, or mappedIndices`
      yield { path: 'index', message }
      return
    }
    if (given.DEFAULT_INDEX !== undefined && !typeOf.has(given.DEFAULT_INDEX)) {
      yield { path: 'mappedIndices.DEFAULT_INDEX', message: noNodeType(given.DEFAULT_INDEX) }
    }
    if (index !== undefined && !typeOf.has(index)) yield { path: 'index', message: noNodeType(index) }
    if (label !== undefined && property === undefined && typeOf.has(label)) {
      const message = `the node type "${shown(label)}" ${ofModel} has not one unique property: give mappedIndices`
      yield { path: 'mappedIndices', message }
    }
    const { DEFAULT_INDEX: _, DEFAULT_ID_FIELD: own, ...others } = given
    const named = Object.entries(others).map(([of, key]) => [of, key, of] as const)
    const all = own === undefined || label === undefined ? named : [[label, own, 'DEFAULT_ID_FIELD'] as const, ...named]
    for (const [of, key, field] of all) {
      const type = typeOf.get(of)
      const candidates = type && idCandidates(type)
      if (candidates === undefined || candidates.has(key)) continue
      const which = candidates.size === 0 ? 'has no property' : `is identified by ${oneOf(candidates)}`
      const message = `must not be "${shown(key)}": the node type "${shown(of)}" ${ofModel} ${which}`
      yield { path: `mappedIndices.${shown(field)}`, message }
    }
  }

  return {
    /** The number of different `mappedIndices` made so far, and how many entries in them come from the model. */
    made: () => ({ indices: known.size, entries: known.size * derived.size }),

    /** All of `mappedIndices`; one object for equal `mappedIndices` and `index`. */
    indicesOf,

    /** The request with all of `mappedIndices`. */
    bound: (request: PublishRequest): PublishRequest => ({ ...request, mappedIndices: indicesOf(request) }),

    /** How a request contradicts the model. */
    *issues(request: Partial<PublishRequest>): Generator<Issue> {
      yield* indexIssues(request)
      const { mask = {}, only = {} } = request
      if (sensitive.length + Object.keys(mask).length + Object.keys(only).length > 0) {
        const ruled = new Set([...Object.keys(mask), ...Object.keys(only)].flatMap((name) => typeOf.get(name) ?? []))
        const some = [...new Set([...ruled, ...sensitive])]
        yield* maskIssuesOfModel({ mask, only, mappedIndices: indicesOf(request) }, some, version)
      }
      const { targetFilter, dynamicLabels = {} } = request
      if (targetFilter !== undefined && !typeOf.has(targetFilter)) {
        yield { path: 'targetFilter', message: noNodeType(targetFilter) }
      }
      for (const label of Object.keys(dynamicLabels)) {
        if (!typeOf.has(label)) yield { path: `dynamicLabels.${shown(label)}`, message: noNodeType(label) }
      }
      for (const field of ['protectedNodeProperties', 'deleteProperties'] as const) {
        for (const key of new Set(request[field])) {
          if (keys.has(key)) continue
          yield { path: field, message: `"${shown(key)}" is no property ${ofModel}${guess(key, keys)}` }
        }
      }
    },
  }
}

/** The requests as their model completes them. */
export function boundRequests(
  requests: readonly PublishRequest[],
  model: BoundModel | null,
): readonly PublishRequest[] {
  if (model === null) return requests
  const { bound } = createBinding(model)
  return requests.map(bound)
}

const uniqueOf = (properties: readonly ModelledProperty[]) => properties.filter(({ unique }) => unique)

/** The only unique property of a node type, or the only one that is required as well. */
function idPropertyIn(properties: readonly ModelledProperty[]): string | undefined {
  const unique = uniqueOf(properties)
  const [only, ...others] = unique.length === 1 ? unique : unique.filter(({ required }) => required)
  return others.length === 0 ? only?.key : undefined
}

/** The properties that may identify the nodes of a type: unique ones, or all if none is unique. */
const idCandidates = onceForEach(({ properties }: BoundModel['types'][number]): ReadonlySet<string> => {
  const unique = uniqueOf(properties)
  return new Set((unique.length > 0 ? unique : properties).map(({ key }) => key))
})

const mostNamed = 10

function oneOf(names: ReadonlySet<string>): string {
  const first = [...names].slice(0, mostNamed).map((name) => `"${shown(name)}"`)
  return [...first, ...(names.size > mostNamed ? [`${names.size - mostNamed} others`] : [])].join(' or ')
}

// Each comparison takes a fraction of a microsecond, and a request may hold thousands of wrong names.
const mostCompared = 1_000

const guess = (name: string, known: ReadonlyMap<string, unknown> | ReadonlySet<string>): string =>
  known.size > mostCompared ? '' : didYouMean(name, known.keys())
