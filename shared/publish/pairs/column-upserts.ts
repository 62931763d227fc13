import { byCodePoint } from '../../cypher/identifiers.ts'
import { isSafe, type Numbers, type Rendered, renderValue, type Wrap } from '../../cypher/values.ts'
import { typeOf } from '../model/data-types.ts'
import { nothingBroken, type TypedKeys, type Verdict } from '../model/model-rules.ts'
import { type Columns, type Properties, typeOfText } from '../read/columns.ts'
import { PairBytes } from './json-bytes.ts'
import { beforeMetadata, beforeParameters, type Shape } from './pair.ts'
import type { PropertyField } from './pair-maker.ts'
import type { Expression, PropertySource } from './statements/statement.ts'

/** The ids that an upsert finds its element by, as JSON: that of the node, or those of both ends. */
export type AnchorIds = { id: string } | { startId: string; endId: string }
type IdSource = 'id' | 'startId' | 'endId'

/** A parameter: the bytes before its value, which is one of the ids, a constant (the timestamp), or read from a column. */
interface Slot {
  before: Uint8Array
  id: IdSource | null
  constant: string | null
  column: number
}

/** What upserts share whose values need the same expressions in the statement: everything in a pair but its values. */
export interface UpsertShape {
  /** The keys of the published properties. */
  keys: readonly string[]
  verdict: Verdict
  slots: readonly Slot[]
}

/** Node of a trie of the shapes for some columns: one level per column, indexed by the expression code of its value. */
interface Step {
  next: (Step | undefined)[]
  shape: UpsertShape | null
}

/** The shapes of one kind of upsert for one set of columns. */
export interface ShapeTree {
  columns: Columns
  /** The expression code of each column's values; 0 if the column is not published, null if each value is inspected. */
  columnCodes: readonly (number | null)[]
  first: Step
  kind: UpsertKind
}

/** How the shapes of one kind of upsert are made. */
export interface UpsertKind {
  /** Makes the shape of upserts whose values need the same expressions as these. */
  make: (fields: readonly PropertyField[], omitted: readonly string[]) => Shape<IdSource | PropertySource>
  /** Judges the properties by a model; absent: there is none. */
  judge?: ((keys: TypedKeys) => Verdict) | undefined
}

interface UpsertOptions {
  numbers: Numbers
  excluded: ReadonlySet<string>
  added: readonly PropertyField[]
}

const plainly: Rendered = { json: '', wrap: null, list: false }
const codes = new Map<Wrap | null, number>()

/** The expression that a value needs, as a small number; 0 is reserved for an absent property. */
function codeOf({ wrap, list }: Expression): number {
  const code = codes.get(wrap) ?? codes.size
  codes.set(wrap, code)
  return 1 + 2 * code + (list ? 1 : 0)
}

/** Above every expression code. */
const mostCodes = 64
/** Tells apart, where a model judges them, the types of values that need no expression. 0 is that of strings. */
function kindOfPlain(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return 0
    case 'bigint':
      return 1
    case 'number':
      return 2
    case 'boolean':
      return 3
    default: {
      const list = value as unknown[]
      return list.length === 0 ? 4 : 5 + kindOfPlain(list[0])
    }
  }
}

const plain = codeOf(plainly)
const toInteger = codeOf({ wrap: 'toInteger', list: false })
const toFloat = codeOf({ wrap: 'toFloat', list: false })
const isString = (value: unknown) => typeof value === 'string'
const isStrings = (value: unknown): value is string[] => Array.isArray(value) && value.every(isString)

const end = Buffer.from(beforeMetadata)

/**
 * Writes upserts from columns. There are two ways to write the upsert of a node or relationship, with the same bytes as
 * their result. From values, for any properties: `fieldsOf` renders them, and the pair maker makes a pair. From columns,
 * at a fraction of the cost: most elements of a kind have the same keys, with values of the same types, so what their
 * upserts share is rendered once, as the bytes before each value; an upsert is these bytes, each followed by its value.
 */
export class ColumnUpserts {
  readonly #options: UpsertOptions
  readonly #bytes = new PairBytes()

  constructor(options: UpsertOptions) {
    this.#options = options
  }

  tree(columns: Columns, kind: UpsertKind): ShapeTree {
    const columnCodes = columns.keys.map((key, column) => {
      if (this.#options.excluded.has(key)) return 0
      const wrap = columns.texts[column] ?? null
      return wrap && codeOf({ wrap, list: false })
    })
    return { columns, columnCodes, first: { next: [], shape: null }, kind }
  }

  /** The shape for properties read as the tree's columns; null if one of them has no rendering. */
  shapeOf(tree: ShapeTree, values: readonly unknown[]): UpsertShape | null {
    let step = tree.first
    const isTyped = tree.kind.judge !== undefined
    for (let column = 0; column < tree.columnCodes.length; column++) {
      const value = values[column]
      let code = value === null ? 0 : tree.columnCodes[column]
      if (code === null || code === undefined) {
        code = codeOfValue(value, this.#options.numbers)
        if (code === null) return null
        if (isTyped && code === plain && typeof value !== 'string') code += mostCodes * kindOfPlain(value)
      }
      let next = step.next[code]
      if (next === undefined) {
        next = { next: [], shape: null }
        step.next[code] = next
      }
      step = next
    }
    step.shape ??= this.#makeShape(tree, values)
    return step.shape
  }

  #makeShape({ columns, columnCodes, kind }: ShapeTree, values: readonly unknown[]): UpsertShape {
    const { numbers, added } = this.#options
    const columnOf = new Map<string, number>()
    const present = columns.keys.flatMap((key, column) =>
      values[column] === null || columnCodes[column] === 0 ? [] : [[key, column] as const],
    )
    const verdict =
      kind.judge?.(present.map(([key, column]) => [key, typeOfText(columns, column) ?? typeOf(values[column])])) ??
      nothingBroken
    const own = present.flatMap(([key, column]): PropertyField[] => {
      if (verdict.omitted.includes(key)) return []
      columnOf.set(key, column)
      const wrap = columns.texts[column] ?? null
      return [{ key, value: wrap === null ? (renderValue(values[column], numbers) as Rendered) : { ...plainly, wrap } }]
    })
    const fields = [...own, ...added].sort((a, b) => byCodePoint(a.key, b.key))
    const constantOf = new Map(added.map(({ key, value }) => [key, value.json]))
    const shape = kind.make(fields, verdict.omitted)
    const slots = shape.bindings.map(({ name, source }, index): Slot => {
      const before = Buffer.from(`${index === 0 ? beforeParameters(shape) : ','}${name}:`)
      if (typeof source === 'string') return { before, id: source, constant: null, column: -1 }
      const constant = constantOf.get(source.property) ?? null
      return { before, id: null, constant, column: columnOf.get(source.property) ?? -1 }
    })
    return { keys: fields.map(({ key }) => key), verdict, slots }
  }

  /** Writes the pair with these ids. The result is valid until the next call. */
  write({ slots }: UpsertShape, ids: AnchorIds, { values, columns }: Properties): Buffer {
    const bytes = this.#bytes
    bytes.clear()
    for (const { before, id, constant, column } of slots) {
      bytes.raw(before)
      if (id !== null) bytes.text((ids as Record<IdSource, string>)[id])
      else if (constant !== null) bytes.text(constant)
      else if (columns !== null && columns.texts[column] !== null) bytes.text(values[column] as string)
      else this.#writeValue(values[column])
    }
    bytes.raw(end)
    return bytes.written
  }

  #writeValue(value: unknown): void {
    const bytes = this.#bytes
    if (typeof value === 'string') bytes.string(value)
    else if (isStrings(value)) bytes.list(value, (element) => bytes.string(element))
    else bytes.text((renderValue(value, this.#options.numbers) as Rendered).json)
  }
}

/** The expression code of a value; null if it has no rendering. */
function codeOfValue(value: unknown, numbers: Numbers): number | null {
  if (typeof value === 'string' || typeof value === 'boolean') return plain
  if (typeof value === 'bigint') return numbers === 'strict' || !isSafe(value) ? toInteger : plain
  if (typeof value === 'number') return numbers === 'strict' || !Number.isFinite(value) ? toFloat : plain
  if (isStrings(value)) return plain
  const rendered = renderValue(value, numbers)
  return rendered && codeOf(rendered)
}
