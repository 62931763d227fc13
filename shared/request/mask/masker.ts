import { byCodePoint } from '../../../packet/cypher/identifiers.ts'
import { isPublishable, type Kind, kind } from '../../../packet/packstream/kinds.ts'
import type { Rendered } from '../../../packet/values/values.ts'
import * as errors from '../../errors/catalogue.ts'
import { KeyedHash, subkey } from '../../origin/keyed-hash.ts'
import { type MaskedKey, MaskedProperties, maskedKind, type ShapeMask } from '../../origin/masked-properties.ts'
import { hashOf, type Properties } from '../../origin/properties.ts'
import { Shape } from '../../origin/shapes.ts'
import { shown } from '../../validation/issues.ts'
import { idForms } from '../id-forms.ts'
import { type IdentityRule, identityLabel } from '../identity.ts'
import type { Plan } from '../plan.ts'
import type { MaskAction } from './fields.ts'
import type { Masking, MaskRules } from './masking.ts'

/** The properties of elements with the same names are masked alike, shape by shape. */
type ShapeMasks = WeakMap<Shape, ShapeMask | 'none'>

export type Masker = ReturnType<typeof maskerFor>

/**
 * Masks what the requests of a packet read, right after it was read: what comes later cannot publish, report or log what
 * it does not have. Contract 4.24.
 * @param key of the org; null if no rule hashes
 */
export function createMasking(
  masking: Masking | null,
  key: Uint8Array | null,
): (plan: Pick<Plan, 'identity' | 'relationshipIdField'>) => Masker | undefined {
  if (masking === null) return () => undefined
  const hashes = new Map<string, KeyedHash>()
  const hashFor = (name: string, property: string): KeyedHash => {
    const context = JSON.stringify([name, property])
    // Only the API accepts a request, and it refuses hashes without a key.
    const made = hashes.get(context) ?? new KeyedHash(subkey(key as Uint8Array, name, property))
    hashes.set(context, made)
    return made
  }
  // Thousands of sub-requests share the labels of their `mappedIndices`, and then also the masked shapes.
  const known = new WeakMap<IdentityRule['idProperties'], Map<string | null, Masker>>()
  return ({ identity, relationshipIdField: field }) => {
    const ofRule = known.get(identity.idProperties) ?? new Map<string | null, Masker>()
    known.set(identity.idProperties, ofRule)
    const masker = ofRule.get(field) ?? maskerFor(masking, hashFor, identity, field)
    ofRule.set(field, masker)
    return masker
  }
}

function maskerFor(
  { rules }: Masking,
  hashFor: (name: string, property: string) => KeyedHash,
  identity: IdentityRule,
  relationshipIdField: string | null,
) {
  const ofLabels = new WeakMap<readonly string[], Map<string | null, ShapeMasks> | 'none'>()
  const ofTypes = new Map<string, ShapeMasks | 'none'>()
  const ruledAmong = (names: readonly string[]) => names.filter((name) => rules.has(name))

  function applied(properties: Properties, masks: ShapeMasks, make: (shape: Shape) => ShapeMask | 'none'): Properties {
    const { shape } = properties
    const mask = masks.get(shape) ?? make(shape)
    masks.set(shape, mask)
    return mask === 'none' ? properties : new MaskedProperties(properties, mask)
  }

  const masker = {
    /** The properties of a node with these labels. @throws invalidRequest (400) if two rules contradict each other */
    node(labels: readonly string[], properties: Properties): Properties {
      const known = ofLabels.get(labels) ?? (ruledAmong(labels).length === 0 ? 'none' : new Map())
      ofLabels.set(labels, known)
      if (known === 'none') return properties
      const own = identityLabel(identity, labels, properties.text('index'))
      const masks = known.get(own) ?? new WeakMap()
      known.set(own, masks)
      return applied(properties, masks, (shape) => {
        const id = own === null ? undefined : identity.idProperties.get(own)
        return maskOf(shape, (key) => ruleOf(rules, labels, own, key, id), hashFor)
      })
    },

    /** The properties of a relationship of this type. */
    relationship(type: string, properties: Properties): Properties {
      const masks = ofTypes.get(type) ?? (rules.has(type) ? new WeakMap() : 'none')
      ofTypes.set(type, masks)
      if (masks === 'none') return properties
      const idField = relationshipIdField ?? undefined
      return applied(properties, masks, (shape) =>
        maskOf(shape, (key) => ruleOf(rules, [type], type, key, idField), hashFor),
      )
    },

    /** An id that is not a property of an element which was read: a request names it, or the origin counts it. */
    id(label: string, idProperty: string, id: Rendered): Rendered {
      if (rules.get(label)?.actions.get(idProperty) !== 'hash') return id
      return { json: `"${hashOf(id, hashFor(label, idProperty))}"`, wrap: null, list: false }
    },

    /** Origin ids that the origin does not have, as reports show them: the mask of each form that the id may have. */
    missingIds: (label: string, idProperty: string, ids: readonly string[]): readonly string[] =>
      rules.get(label)?.actions.get(idProperty) === 'hash' ? allForms(ids, [label], idProperty) : ids,

    /** The same of relationship ids. Nothing tells their types: those of all rules are shown. */
    missingOwnIds(ids: readonly string[]): readonly string[] {
      if (relationshipIdField === null) return ids
      const names = [...rules].flatMap(([name, { actions }]) => (actions.has(relationshipIdField) ? [name] : []))
      return names.length === 0 ? ids : allForms(ids, names, relationshipIdField)
    },
  }

  function allForms(ids: readonly string[], names: readonly string[], property: string): string[] {
    return ids.flatMap((id) =>
      names.flatMap((name) =>
        idForms(id).map((form) => {
          const hash = hashFor(name, property)
          return typeof form === 'string' ? hash.ofText(Buffer.from(form)) : hash.ofOther(String(form))
        }),
      ),
    )
  }

  return masker
}

interface Rule {
  name: string
  action: MaskAction
}

const own = (name: string, action: MaskAction): Rule => ({ name, action })

/**
 * The rule for a property of an element: of its only label that has one, or of the label that identifies it. `id`
 * identifies the element; it is published whatever `only` says.
 * @throws invalidRequest (400) where the rules of several labels do not decide what happens, or under which name a value
 * is hashed: the same value of one node must have one hash
 */
function ruleOf(
  rules: ReadonlyMap<string, MaskRules>,
  names: readonly string[],
  identifying: string | null,
  key: string,
  id: string | undefined,
): Rule | null {
  const found = names.flatMap((name) => {
    const action = rules.get(name)?.actions.get(key)
    return action === undefined ? [] : [own(name, action)]
  })
  const first = found.find(({ name }) => name === identifying) ?? found[0]
  const path = first && `mask.${shown(first.name)}.${shown(key)}`
  const refused = (message: string) => errors.invalidRequest([{ path: path as string, message }])
  if (first && key === id) {
    const which = `"${shown(key)}" identifies nodes with the label "${shown(identifying ?? '')}"`
    if (first.name !== identifying) throw refused(`${which}, which has no rule for it: give one there, too`)
    if (first.action !== 'hash') throw refused(`must not be "${first.action}": ${which}`)
  }
  const other = found.find(({ action }) => action !== first?.action)
  if (first && other)
    throw refused(`must be the same as mask.${shown(other.name)}.${shown(key)}: a node has both labels`)
  if (key === id) return first ?? null
  const lists = names.flatMap((name) => rules.get(name)?.only ?? [])
  if (lists.length > 0 && !lists.some((list) => list.has(key))) {
    const name = names.find((one) => rules.get(one)?.only) as string
    return own(name, 'drop')
  }
  if (first?.action === 'hash' && found.length > 1 && first.name !== identifying) {
    const labels = found.map(({ name }) => `"${shown(name)}"`).sort(byCodePoint)
    const message = `a node has the labels ${labels.join(' and ')}: give a rule for the label that identifies it, too`
    throw refused(message)
  }
  return first ?? null
}

/** A value that no statement can hold is not replaced, so that the publish reports it as any other. */
function maskOf(
  { keys, kinds }: Shape,
  ruleFor: (key: string) => Rule | null,
  hashFor: (name: string, property: string) => KeyedHash,
): ShapeMask | 'none' {
  const masked: Kind[] = []
  const values: (KeyedHash | null | undefined)[] = []
  const changes: MaskedKey[] = []
  for (const [index, key] of keys.entries()) {
    const of = kinds[index] as Kind
    const rule = of === kind.absent ? null : ruleFor(key)
    const action = rule?.action === 'hash' && !isPublishable(of) ? null : (rule?.action ?? null)
    masked.push(action === null ? of : action === 'drop' ? kind.absent : maskedKind)
    values.push(rule && action === 'hash' ? hashFor(rule.name, key) : action === 'null' ? null : undefined)
    if (rule && action) changes.push({ name: rule.name, key, action, index })
  }
  return changes.length === 0 ? 'none' : { shape: new Shape(keys, masked), values, changes }
}
