import { byCodePoint, isQuotable } from '../../../packet/cypher/identifiers.ts'
import type { ParameterSyntax } from '../../../packet/cypher/parameters.ts'
import type { Field, PropertySource, Topic } from '../../../packet/kinds/statement.ts'
import { type Kind, kind } from '../../../packet/packstream/kinds.ts'
import { beforeMetadata, beforeParameters, type Shape } from '../../../packet/pair.ts'
import type { PropertyField } from '../../../packet/pair-maker.ts'
import { expressionOf, isPublishableIn } from '../../../packet/values/expressions.ts'
import { type JsonBytes, JsonTooLarge } from '../../../packet/values/json-bytes.ts'
import type { Numbers } from '../../../packet/values/values.ts'
import * as errors from '../../errors/catalogue.ts'
import type { Properties } from '../../origin/properties.ts'
import { typeOf } from '../../request/model/data-types.ts'
import { nothingBroken, type TypedKeys, type Verdict } from '../../request/model/model-rules.ts'

/** The ids that an upsert finds its element by, as JSON: the id of the node, or the ids of both ends. */
export type AnchorIds = { id: string } | { startId: string; endId: string }
type IdSource = 'id' | 'startId' | 'endId'

/** A parameter: the bytes before its value, which is one of the ids, a constant (the timestamp), or a property. */
interface Slot {
  before: Buffer
  id: IdSource | null
  constant: string | null
  index: number
}

/** The common part of the upserts of elements of one shape: everything in a pair except its values. */
export interface UpsertShape {
  topic: Topic
  /** The keys of the published properties. */
  keys: readonly string[]
  /** The properties that break the model, and the properties left out for that reason. */
  verdict: Verdict
  /** The indexes of properties that cannot be published and are left out. */
  skipped: readonly number[]
  slots: readonly Slot[]
}

// A limit is needed because elements of one shape may have as many sets of labels as there are elements.
const madeBytesKept = 16_000_000
// Size of a slot without its text.
const slotBytes = 300

/** Caches upserts by the shape of their elements, and by a key for everything else that they depend on. */
export class MadeUpserts {
  #made = new WeakMap<object, Map<string, UpsertShape>>()
  #bytes = 0

  find(properties: object, key: string, make: () => UpsertShape): UpsertShape {
    const known = this.#made.get(properties)?.get(key)
    if (known !== undefined) return known
    const made = make()
    const size = made.slots.reduce((sum, { before }) => sum + before.length + slotBytes, 2 * key.length)
    this.#bytes += size
    if (this.#bytes > madeBytesKept) {
      this.#made = new WeakMap()
      this.#bytes = size
    }
    const all = this.#made.get(properties) ?? new Map<string, UpsertShape>()
    this.#made.set(properties, all)
    all.set(key, made)
    return made
  }
}

/** How the upserts of one kind of element are made. */
export interface UpsertKind {
  numbers: Numbers
  syntax: ParameterSyntax
  excluded: ReadonlySet<string>
  /** Properties that the packet adds. */
  added: readonly PropertyField[]
  /** Whether to leave out what cannot be published, rather than fail. */
  skips: boolean
  /** Judges the properties by a model; absent: there is none. */
  judge?: ((keys: TypedKeys) => Verdict) | undefined
  /** Makes the statement for these fields; the target keeps the properties that were left out. */
  make(fields: readonly Field[], leftOut: readonly string[]): Shape<IdSource | PropertySource>
}

/**
 * Properties of an element. Beyond this limit the publish fails with `422 unpublishable`. The statement would be legal,
 * but making it takes more memory than a worker has.
 */
const mostProperties = 100_000

/**
 * Makes the common part of the upserts of elements with properties like these.
 * @throws unpublishable (422), naming the first property without a rendering, unless it is to be skipped. Contract 5.
 */
export function upsertShape(of: UpsertKind, properties: Properties, about: () => string): UpsertShape {
  const { keys, kinds } = properties.shape
  if (keys.length > mostProperties)
    throw errors.unpublishable(`${about()} has ${keys.length} properties, more than ${mostProperties}`)
  const present = [...keys.keys()].filter((at) => kinds[at] !== kind.absent && !of.excluded.has(keys[at] as string))
  // The model describes what the origin has.
  const { kinds: read } = properties.unmasked.shape
  const typed = present.map((at) => [keys[at] as string, typeOf(read[at] as Kind)] as const)
  const verdict = of.judge?.(typed) ?? nothingBroken
  const omitted = new Set(verdict.omitted)
  const judged = omitted.size === 0 ? present : present.filter((at) => !omitted.has(keys[at] as string))
  const skipped = judged.filter(
    (at) => !isQuotable(keys[at] as string) || !isPublishableIn(of.syntax, kinds[at] as Kind),
  )
  const [first] = skipped
  if (first !== undefined && !of.skips) throw errors.unpublishable(`${about()} ${propertyProblem(properties, first)}`)
  const isSkipped = new Set(skipped)
  const indexes = new Map<string, number>()
  const fields: Field[] = of.added.map(({ key, value }) => ({ key, value }))
  for (const at of judged) {
    if (isSkipped.has(at)) continue
    indexes.set(keys[at] as string, at)
    fields.push({ key: keys[at] as string, value: expressionOf(kinds[at] as Kind, of.numbers) })
  }
  fields.sort((a, b) => byCodePoint(a.key, b.key))
  const made = of.make(fields, [...skipped.map((at) => keys[at] as string), ...omitted])
  const published = fields.map(({ key }) => key)
  return { topic: made.topic, keys: published, verdict, skipped, slots: slotsOf(made, indexes, of.added) }
}

function slotsOf(
  shape: Shape<IdSource | PropertySource>,
  indexes: ReadonlyMap<string, number>,
  added: readonly PropertyField[],
): Slot[] {
  const constants = new Map(added.map(({ key, value }) => [key, value.json]))
  return shape.bindings.map(({ name, source }, index) => {
    const before = Buffer.from(`${index === 0 ? beforeParameters(shape) : ','}${name}:`)
    if (typeof source === 'string') return { before, id: source, constant: null, index: -1 }
    const { property } = source
    return { before, id: null, constant: constants.get(property) ?? null, index: indexes.get(property) ?? -1 }
  })
}

/** Why a property cannot be published. */
export function propertyProblem(properties: Properties, index: number): string {
  const key = properties.shape.keys[index] as string
  return isQuotable(key)
    ? `has a ${properties.typeName(index)} as its property "${key}"`
    : `has a property key ${JSON.stringify(key)} that no statement can name`
}

const end = Buffer.from(beforeMetadata)

/**
 * Writes the pair with these ids to `bytes`, and returns what was written.
 * @throws pairTooLarge (413) before memory is allocated for a pair that is far too large
 */
export function upsertBytes(
  bytes: JsonBytes,
  { slots }: UpsertShape,
  ids: AnchorIds,
  properties: Properties,
  { numbers, about }: { numbers: Numbers; about: () => string },
): Buffer {
  bytes.clear()
  try {
    for (const { before, id, constant, index } of slots) {
      bytes.raw(before)
      if (id !== null) bytes.text((ids as Record<IdSource, string>)[id])
      else if (constant !== null) bytes.text(constant)
      else properties.write(index, bytes, numbers)
    }
    bytes.raw(end)
    return bytes.written
  } catch (error) {
    throw error instanceof JsonTooLarge ? errors.pairTooLarge(about(), error.limitBytes) : error
  }
}

/** A skipped property is treated as a protected one, if a statement can name it: skipping never deletes. Contract 4. */
export const withLeftOut = (protectedKeys: readonly string[], leftOut: readonly string[]): string[] =>
  [...protectedKeys, ...new Set(leftOut.filter(isQuotable))].sort(byCodePoint)
