import type { Issue } from '../../errors/app-error.ts'
import { shown } from '../../validation/issues.ts'
import { identityRule } from '../identity.ts'
import type { Masks, Onlys } from './masking.ts'

interface Fields {
  mask?: Masks
  only?: Onlys
  mappedIndices?: Readonly<Record<string, string>>
  searchIdField?: string
  relationshipIdField?: string
  relationships?: readonly ({ type: string } | { every: unknown } | object)[]
}

/** Why a rule of `mask` cannot be honoured, given the other fields of its request. Contract 4.24. */
export function* maskIssues(fields: Fields): Generator<[path: string, message: string]> {
  const { mask, only = {}, mappedIndices = {}, searchIdField, relationshipIdField } = fields
  if (mask === undefined) return
  const { idProperties } = identityRule(mappedIndices)
  const types = new Set(fields.relationships?.map((one) => ('type' in one ? one.type : null)))
  for (const [name, actions] of Object.entries(mask)) {
    const listed = Object.hasOwn(only, name) ? new Set(only[name]) : null
    for (const [property, action] of Object.entries(actions)) {
      const path = `mask.${shown(name)}.${shown(property)}`
      const isId = idProperties.get(name) === property
      const isOwnId = property === relationshipIdField && types.has(name)
      if (property === 'index') {
        yield [path, 'must not be given: the value of this property is the label that identifies a node']
      } else if (action !== 'hash') {
        const of = `of "${shown(name)}"`
        if (isId) yield [path, `must not be "${action}": "${shown(property)}" is the id property ${of}`]
        if (isOwnId) yield [path, `must not be "${action}": "${shown(property)}" is the relationshipIdField`]
        if (property === searchIdField)
          yield [path, `must not be "${action}": "${shown(property)}" is the searchIdField`]
      }
      if (listed === null || isId || isOwnId) continue
      const isListed = listed.has(property)
      if (action === 'drop' ? isListed : !isListed) {
        const problem = isListed ? 'lists the property' : 'leaves the property out'
        yield [path, `must not be "${action}": only.${shown(name)} ${problem}`]
      }
    }
  }
}

interface NodeType {
  label: string
  properties: readonly { key: string; required?: true; sensitive?: true }[]
}

/** Sensitive properties without a rule that one answer names; it counts the rest. */
const mostNamed = 100

/**
 * How `mask` and `only` contradict the model that a request is bound to. Every sensitive property of the model needs a
 * rule: the API does not know which labels the publish will find. A name may also be a relationship type, of which the
 * model knows nothing. Contract 4.24.
 */
export function* maskIssuesOfModel(
  { mask = {}, only = {}, mappedIndices = {} }: Pick<Fields, 'mask' | 'only' | 'mappedIndices'>,
  types: readonly NodeType[],
  version: string,
): Generator<Issue> {
  const { idProperties } = identityRule(mappedIndices)
  let unruled = 0
  for (const { label, properties } of types) {
    const actions = Object.hasOwn(mask, label) ? mask[label] : undefined
    const listed = Object.hasOwn(only, label) ? new Set(only[label]) : null
    const known = new Map(properties.map((one) => [one.key, one]))
    const named = [
      ...Object.keys(actions ?? {}).map((key) => ['mask', key] as const),
      ...[...(listed ?? [])].map((key) => ['only', key] as const),
    ]
    for (const [field, key] of named) {
      const path = field === 'mask' ? `mask.${shown(label)}.${shown(key)}` : `only.${shown(label)}`
      const action = field === 'mask' && actions ? actions[key] : undefined
      if (!known.has(key)) {
        yield { path, message: `"${shown(key)}" is no property of the node type in the model version ${version}` }
      } else if (known.get(key)?.required && action && action !== 'hash') {
        yield { path, message: `must not be "${action}": the model version ${version} requires the property` }
      }
    }
    for (const { key, sensitive } of properties) {
      // An id is published whether or not `only` lists it.
      const isLeftOut = listed !== null && idProperties.get(label) !== key
      if (!sensitive || isLeftOut || listed?.has(key) || (actions && Object.hasOwn(actions, key))) continue
      if (++unruled > mostNamed) continue
      const path = `mask.${shown(label)}.${shown(key)}`
      yield { path, message: `required: the model version ${version} marks the property as sensitive` }
    }
  }
  if (unruled > mostNamed)
    yield { path: 'mask', message: `${unruled - mostNamed} more sensitive properties have no rule` }
}
