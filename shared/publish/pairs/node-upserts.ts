import { byCodePoint, isQuotable } from '../../../packet/cypher/identifiers.ts'
import { type Identity, isAlike } from '../../../packet/identity.ts'
import type { PairMaker } from '../../../packet/pair-maker.ts'
import * as errors from '../../errors/catalogue.ts'
import type { InternalId } from '../../read/internal-ids.ts'
import type { NodeKeys } from '../../request/identity.ts'
import type { ModelRules } from '../../request/model/model-rules.ts'
import type { Plan } from '../../request/plan.ts'
import { MadeUpserts, type UpsertKind, type UpsertShape, upsertBytes, upsertShape, withLeftOut } from './upserts.ts'

/** The upsert that was last made for nodes of a shape. */
interface LastNodes {
  by: NodeUpserts
  identity: Identity
  labels: readonly string[]
  made: UpsertShape
}

/** Makes the upserts of one request's nodes. */
export class NodeUpserts {
  readonly #plan: Plan
  readonly #pairs: PairMaker
  readonly #model: ModelRules | undefined
  readonly #excluded: ReadonlySet<string>
  readonly #made = new MadeUpserts()

  constructor(plan: Plan, pairs: PairMaker, model?: ModelRules) {
    this.#plan = plan
    this.#pairs = pairs
    this.#model = model
    this.#excluded = new Set([...plan.deletedProperties, ...plan.protectedNodeProperties])
  }

  /** @throws unpublishable (422) for the first label or property that no statement can hold, unless it is skipped. */
  shapeOf(identity: Identity, { labels, properties }: NodeKeys, about: () => string): UpsertShape {
    const { shape } = properties
    const last = shape.last as LastNodes | null
    if (last?.by === this && last.labels === labels && isAlike(last.identity, identity)) return last.made
    const { label, idProperty, id } = identity
    const key = JSON.stringify([label, idProperty, id.wrap, id.list, labels])
    const make = () => upsertShape(this.#kindOf(identity, labels, about), properties, about)
    const made = this.#made.find(shape, key, make)
    shape.last = { by: this, identity, labels, made } satisfies LastNodes
    return made
  }

  /** The bytes of the pair, valid until another one is made. */
  bytesOf(made: UpsertShape, identity: Identity, { properties }: NodeKeys, about: () => string): Buffer {
    return upsertBytes(this.#pairs.bytes, made, { id: identity.id.json }, properties, {
      numbers: this.#plan.identity.numbers,
      about,
    })
  }

  /**
   * How to make upserts of nodes with this kind of identity and these labels. They add the node's other labels, and
   * remove labels that `dynamicLabels` lists for one of its labels but that the node lacks. Seed, `dynamicLabels`;
   * contract 4.15.
   */
  #kindOf(identity: Identity, labels: readonly string[], about: () => string): UpsertKind {
    const { protectedNodeProperties, identity: rule, skips, dynamicLabels } = this.#plan
    const [problem] = skips ? [] : labelProblems(labels)
    if (problem !== undefined) throw errors.unpublishable(`${about()} ${problem}`)
    const ofModel = this.#model?.ofNode(identity, labels)
    const left = new Set([identity.label, ...(ofModel?.omittedLabels ?? [])])
    const added = labels.filter((label) => !left.has(label) && isQuotable(label)).sort(byCodePoint)
    const listed = new Set(labels.flatMap((label) => dynamicLabels.get(label) ?? []))
    const removed = [...listed].filter((label) => !labels.includes(label)).sort(byCodePoint)
    return {
      numbers: rule.numbers,
      syntax: rule.syntax,
      excluded: this.#excluded,
      added: [],
      skips,
      judge: ofModel?.judge,
      make: (fields, leftOut) => {
        const protectedKeys = withLeftOut(protectedNodeProperties, leftOut)
        return this.#pairs.nodeUpsertShape(identity, fields, { added, removed, protectedKeys })
      },
    }
  }
}

/** A problem for each label that cannot be published. */
export const labelProblems = (labels: readonly string[]): string[] =>
  labels
    .filter((label) => !isQuotable(label))
    .map((label) => `bears a label ${JSON.stringify(label)} that no statement can name`)

/** Describes a node for an error: its labels and the origin's internal id. */
export const describeNode = (node: InternalId, { labels }: NodeKeys): string =>
  `the node ${node} with ${labels.length === 0 ? 'no label' : `the labels ${labels.map((label) => `"${label}"`).join(', ')}`}`
