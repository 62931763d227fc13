import { isQuotable } from '../../../packet/cypher/identifiers.ts'
import type { Identity } from '../../../packet/identity.ts'
import { shown } from '../../validation/issues.ts'
import type { BoundModel, ModelledProperty } from '../bound-model.ts'
import type { Plan } from '../plan.ts'
import { type DataType, dataTypeOf, fits, type ValueType } from './data-types.ts'

/** How a node breaks the model. */
export interface Violation {
  rule: 'nodeType' | 'property' | 'required' | 'dataType'
  /** The property; null if a label breaks the rule. */
  property: string | null
  /** Continues a sentence that begins with the node. */
  problem: string
}

/** How a published node breaks the model, and which properties `omit` leaves out for that reason. */
export interface Verdict {
  violations: readonly Violation[]
  omitted: readonly string[]
}

export const nothingBroken: Verdict = { violations: [], omitted: [] }

/** The type of each property of a node. */
export type TypedKeys = Iterable<readonly [key: string, type: ValueType]>

interface NodeType {
  /** The type of each property; null: any value. */
  properties: ReadonlyMap<string, DataType | null>
  required: readonly string[]
}

export type ModelRules = ReturnType<typeof rulesFor>

/** The rules of a model, for the nodes of each request. Contract 4.21. */
export function createModelRules({ types }: BoundModel): (plan: Plan) => ModelRules {
  // Node types share properties, so each `dataType` is parsed once.
  const parsed = new Map<string | undefined, DataType | null>()
  const typeOf = ({ dataType }: ModelledProperty) => {
    const type = parsed.get(dataType) ?? dataTypeOf(dataType)
    parsed.set(dataType, type)
    return type
  }
  const nodeTypes = new Map(
    types.map(({ label, properties }): [string, NodeType] => {
      const required = properties.filter((one) => one.required).map(({ key }) => key)
      return [label, { properties: new Map(properties.map((one) => [one.key, typeOf(one)])), required }]
    }),
  )
  return (plan) => rulesFor(nodeTypes, plan)
}

function rulesFor(nodeTypes: ReadonlyMap<string, NodeType>, plan: Plan) {
  const excluded = new Set([...plan.deletedProperties, ...plan.protectedNodeProperties])
  const isOmitting = plan.onModelViolation === 'omit'
  const required = new Map<string, readonly string[]>()
  let last = {} as { label: string; idProperty: string; type: ValueType; violation: Violation | null }

  function ofProperty(label: string, key: string, type: ValueType): Violation | null {
    const modelled = nodeTypes.get(label)?.properties.get(key)
    if (modelled === undefined) {
      const problem = `has a property "${shown(key)}", which its node type "${shown(label)}" does not have`
      return { rule: 'property', property: key, problem }
    }
    if (modelled === null || fits(type, modelled)) return null
    return {
      rule: 'dataType',
      property: key,
      problem: `has the type ${type} in its property "${shown(key)}", which is ${modelled} in the model`,
    }
  }

  return {
    /** Judges what identifies a node, also at the end of a relationship: the label, and the type of the id. */
    identity({ label, idProperty }: Identity, type: ValueType): Violation | null {
      // Most nodes are identified in the same way as the previous one.
      if (label !== last.label || idProperty !== last.idProperty || type !== last.type) {
        const violation = nodeTypes.has(label) ? ofProperty(label, idProperty, type) : noNodeType(label)
        last = { label, idProperty, type, violation }
      }
      return last.violation
    },

    /**
     * Judges nodes with this identity and these labels: other labels without a node type, unknown keys, and types that
     * do not fit. `identity` and `lacks` judge what identifies the node, and what it lacks, before this.
     */
    ofNode({ label, idProperty }: Identity, labels: readonly string[]) {
      const unknown = labels.filter((one) => one !== label && isQuotable(one) && !nodeTypes.has(one))
      const ofLabels = unknown.map(noNodeType)
      return {
        omittedLabels: isOmitting ? unknown : [],
        judge(keys: TypedKeys): Verdict {
          const ofProperties: Violation[] = []
          for (const [key, type] of keys) {
            const violation = key === idProperty ? null : ofProperty(label, key, type)
            if (violation) ofProperties.push(violation)
          }
          const violations = [...ofLabels, ...ofProperties]
          if (violations.length === 0) return nothingBroken
          return { violations, omitted: isOmitting ? ofProperties.map(({ property }) => property as string) : [] }
        },
      }
    },

    /** The keys that published nodes of this node type must have, except for properties that are not published. */
    required(label: string): readonly string[] {
      const known = required.get(label)
      if (known) return known
      const keys = (nodeTypes.get(label)?.required ?? []).filter((key) => !excluded.has(key))
      required.set(label, keys)
      return keys
    },

    /**
     * Judges a required property of a published node. `type` is null if the node does not have the property. If
     * `onModelViolation` is `omit`, a value of a wrong type counts as missing. `identity` judges the id property.
     */
    lacks({ label, idProperty }: Identity, key: string, type: ValueType | null): Violation | null {
      if (key === idProperty) return null
      if (type !== null) return isOmitting ? ofProperty(label, key, type) : null
      const problem = `has no property "${shown(key)}", which its node type "${shown(label)}" requires`
      return { rule: 'required', property: key, problem }
    },
  }
}

const noNodeType = (label: string): Violation => ({
  rule: 'nodeType',
  property: null,
  problem: `bears the label "${shown(label)}", which is no node type of the model`,
})
