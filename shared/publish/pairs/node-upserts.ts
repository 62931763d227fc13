import { byCodePoint, isQuotable } from '../../cypher/identifiers.ts'
import * as errors from '../../errors/catalogue.ts'
import { typeOf } from '../model/data-types.ts'
import { type ModelRules, nothingBroken, type Verdict } from '../model/model-rules.ts'
import type { Columns, Properties } from '../read/columns.ts'
import type { InternalId } from '../read/internal-ids.ts'
import { type Identity, isAlike, type NodeKeys } from '../request/identity.ts'
import type { Plan } from '../request/plan.ts'
import { ColumnUpserts, type ShapeTree } from './column-upserts.ts'
import type { Pair } from './pair.ts'
import { fieldsOf, type PairMaker } from './pair-maker.ts'

const none: ReadonlySet<string> = new Set()

/** What is made of a node. */
interface Made {
  /** The keys of the published properties. */
  keys: readonly string[]
  /** What of its labels and properties breaks the model, and the properties left out for that. */
  verdict: Verdict
}

/** Makes the upserts of one request's nodes, in either of the two ways that `ColumnUpserts` explains. */
export class NodeUpserts {
  readonly #plan: Plan
  readonly #pairs: PairMaker
  readonly #model: ModelRules | undefined
  readonly #excluded: ReadonlySet<string>
  readonly #columns: ColumnUpserts
  readonly #trees = new Map<Columns, Map<string, ShapeTree>>()
  #last: { identity: Identity; labels: readonly string[]; tree: ShapeTree } | null = null

  constructor(plan: Plan, pairs: PairMaker, model?: ModelRules) {
    this.#plan = plan
    this.#pairs = pairs
    this.#model = model
    this.#excluded = new Set([...plan.deletedProperties, ...plan.protectedNodeProperties])
    this.#columns = new ColumnUpserts({ numbers: plan.identity.numbers, excluded: this.#excluded, added: [] })
  }

  /** null if the values are needed. The bytes are valid until the next call. */
  fromColumns(
    identity: Identity,
    labels: readonly string[],
    properties: Properties,
    about: () => string,
  ): (Made & { bytes: Buffer }) | null {
    if (properties.columns === null) return null
    const shape = this.#columns.shapeOf(this.#tree(identity, labels, properties.columns, about), properties.values)
    if (shape === null) return null
    const { keys, verdict } = shape
    return { bytes: this.#columns.write(shape, { id: identity.id.json }, properties), keys, verdict }
  }

  /**
   * `skipped` are properties that cannot be published. @throws unpublishable (422) if they are not to be skipped.
   */
  fromValues(
    identity: Identity,
    labels: readonly string[],
    properties: Properties,
    about: () => string,
  ): Made & { pair: Pair; skipped: ReadonlySet<string> } {
    const { skips, identity: rule } = this.#plan
    const { changes, judge } = this.#kindOf(identity, labels, about)
    const { keys, values } = properties
    const verdict =
      judge?.(keys.flatMap((key, at) => (this.#excluded.has(key) ? [] : [[key, typeOf(values[at])] as const]))) ??
      nothingBroken
    const skipped = skips ? new Set<string>() : undefined
    const excluded = new Set([...this.#excluded, ...verdict.omitted])
    const fields = fieldsOf(properties, { numbers: rule.numbers, excluded, skipped })
    if ('problem' in fields) throw errors.unpublishable(`${about()} ${fields.problem}`)
    const protectedKeys = withSkipped(changes.protectedKeys, new Set([...(skipped ?? []), ...verdict.omitted]))
    const pair = this.#pairs.nodeUpsert(identity, fields, { ...changes, protectedKeys })
    return { pair, keys: fields.map(({ key }) => key), verdict, skipped: skipped ?? none }
  }

  #tree(identity: Identity, labels: readonly string[], columns: Columns, about: () => string): ShapeTree {
    const last = this.#last
    if (last && last.tree.columns === columns && last.labels === labels && isAlike(last.identity, identity)) {
      return last.tree
    }
    const { label, idProperty, id } = identity
    const key = JSON.stringify([label, idProperty, id.wrap, id.list, labels])
    const trees = this.#trees.get(columns) ?? new Map<string, ShapeTree>()
    this.#trees.set(columns, trees)
    const tree = trees.get(key) ?? this.#newTree(identity, labels, columns, about)
    trees.set(key, tree)
    this.#last = { identity, labels, tree }
    return tree
  }

  #newTree(identity: Identity, labels: readonly string[], columns: Columns, about: () => string): ShapeTree {
    const { changes, judge } = this.#kindOf(identity, labels, about)
    return this.#columns.tree(columns, {
      judge,
      make: (fields, omitted) =>
        this.#pairs.nodeUpsertShape(identity, fields, {
          ...changes,
          protectedKeys: withSkipped(changes.protectedKeys, new Set(omitted)),
        }),
    })
  }

  /** What the upserts of nodes with this kind of identity and these labels have in common. */
  #kindOf(identity: Identity, labels: readonly string[], about: () => string) {
    const { protectedNodeProperties: protectedKeys } = this.#plan
    const { added, removed } = labelChanges(this.#plan, identity, labels, about)
    const ofModel = this.#model?.ofNode(identity, labels)
    const omitted = ofModel?.omittedLabels ?? []
    const changes = { protectedKeys, added: added.filter((label) => !omitted.includes(label)), removed }
    return { changes, judge: ofModel?.judge }
  }
}

/**
 * Labels beside the identity's: adds the node's other labels, and removes those that `dynamicLabels` lists for one of
 * its labels and that it lacks. Seed, `dynamicLabels`; contract 4.15.
 */
function labelChanges(
  { dynamicLabels, skips }: Plan,
  { label: own }: Identity,
  labels: readonly string[],
  about: () => string,
) {
  const [problem] = skips ? [] : labelProblems(labels)
  if (problem !== undefined) throw errors.unpublishable(`${about()} ${problem}`)
  const listed = new Set(labels.flatMap((label) => dynamicLabels.get(label) ?? []))
  return {
    added: labels.filter((label) => label !== own && isQuotable(label)).sort(byCodePoint),
    removed: [...listed].filter((label) => !labels.includes(label)).sort(byCodePoint),
  }
}

/** Why each label that cannot be published cannot. */
export const labelProblems = (labels: readonly string[]): string[] =>
  labels
    .filter((label) => !isQuotable(label))
    .map((label) => `bears a label ${JSON.stringify(label)} that no statement can name`)

/** A skipped property is treated as a protected one, if a statement can name it: skipping never deletes. Contract 4. */
export const withSkipped = (protectedKeys: readonly string[], skipped: ReadonlySet<string> = new Set()): string[] =>
  [...protectedKeys, ...[...skipped].filter(isQuotable)].sort(byCodePoint)

/** Describes a node for an error: its labels and the origin's internal id. */
export const describeNode = (node: InternalId, { labels }: NodeKeys): string =>
  `the node ${node} with ${labels.length === 0 ? 'no label' : `the labels ${labels.map((label) => `"${label}"`).join(', ')}`}`
