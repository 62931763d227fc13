import { idText, mergeText } from '../../packet/identity.ts'
import type { Cursor } from '../../packet/packstream/cursor.ts'
import { decode, type Unpack } from '../../packet/packstream/decode.ts'
import {
  emptyList,
  isList,
  isPublishable,
  isVector,
  type Kind,
  kind,
  needsCypher25,
} from '../../packet/packstream/kinds.ts'
import { passValue } from '../../packet/packstream/pass-value.ts'
import { expressionOf } from '../../packet/values/expressions.ts'
import { JsonBytes, JsonTooLarge } from '../../packet/values/json-bytes.ts'
import { typeName } from '../../packet/values/render-value.ts'
import type { Numbers, Rendered } from '../../packet/values/values.ts'
import * as errors from '../errors/catalogue.ts'
import type { KeyedHash } from './keyed-hash.ts'
import { originCursor } from './origin-cursor.ts'
import type { Rows } from './rows.ts'
import type { Shape, Shapes } from './shapes.ts'

/** The rows that elements were read from, and the offsets of all property values in them. */
export interface Source {
  readonly rows: Pick<Rows, 'bytes' | 'unpack'>
  readonly positions: number[]
}

export interface RowSource extends Source {
  readonly rows: Rows
}

export const sourceOf = (rows: Rows): RowSource => ({ rows, positions: [] })

/** Reads a map of properties, and moves past it. @throws originBroke (502) if it is malformed */
export function readProperties(cursor: Cursor, shapes: Shapes, source: Source): Properties {
  const first = source.positions.length
  return new Properties(source, shapes.read(cursor, source.positions), first)
}

/** Reads a list of the values of these keys, and moves past it. @throws originBroke (502) if it is malformed */
export function readValues(
  cursor: Cursor,
  keys: readonly (Buffer | null)[],
  shapes: Shapes,
  source: Source,
): Properties {
  const first = source.positions.length
  return new Properties(source, shapes.readValues(cursor, keys, source.positions), first)
}

// Nothing here waits, so one cursor and one writer serve all elements.
const cursor = originCursor()
const json = new JsonBytes()

/** Reads a value that is not a property of an element; null if it cannot be published. */
export function readValue(row: Cursor): Rendered | null {
  const { at } = row
  const of = passValue(row)
  if (of === kind.absent || !isPublishable(of)) return null
  row.at = at
  return renderedOf(row, of, 'plain')
}

/** The keyed hash of a value; values that `MERGE` treats as equal have the same. */
export const hashOf = (value: Rendered, by: KeyedHash): string =>
  value.wrap === null && value.json.startsWith('"')
    ? by.ofText(Buffer.from(idText(value)))
    : by.ofOther(mergeText(value))

function renderedOf(at: Cursor, of: Kind, numbers: Numbers): Rendered {
  json.clear()
  try {
    json.value(at, of, numbers)
  } catch (error) {
    throw error instanceof JsonTooLarge ? errors.pairTooLarge('an id', error.limitBytes) : error
  }
  return { json: json.written.toString(), ...expressionOf(of, numbers) }
}

function typeNameOf(at: Cursor, of: Kind, unpack: Unpack): string {
  if (of === kind.zonedAtLocal) return 'zoned datetime without an offset'
  const name = typeName(decode(at, unpack))
  return needsCypher25(of) ? `${name}, which needs the parameterSyntax dollar,` : name
}

/** The properties of one element, as the bytes that the origin sent. */
export class Properties {
  readonly shape: Shape
  readonly #source: Source
  /** Index in `positions` of its first value. */
  readonly #first: number
  // Keeps the text that was read last, because callers read an id several times.
  #lastIndex = -1
  #lastText = ''

  constructor(source: Source, shape: Shape, first: number) {
    this.#source = source
    this.shape = shape
    this.#first = first
  }

  /** The kind of a property; `absent` if the element does not have it. */
  kindOf(key: string): Kind {
    const index = this.shape.indexOf(key)
    return index === -1 ? kind.absent : (this.shape.kinds[index] as Kind)
  }

  /** A property as JSON, and the expression that it needs. It must be publishable. */
  rendered(index: number, numbers: Numbers): Rendered {
    const of = this.shape.kinds[index] as Kind
    if (of !== kind.string) return renderedOf(this.#at(index), of, numbers)
    return { json: JSON.stringify(this.#text(index)), wrap: null, list: false }
  }

  /** Writes a publishable property as JSON. */
  write(index: number, to: JsonBytes, numbers: Numbers): void {
    to.value(this.#at(index), this.shape.kinds[index] as Kind, numbers)
  }

  /** A string property; null if the property is missing or has another type. */
  text(key: string): string | null {
    const index = this.shape.indexOf(key)
    return index !== -1 && this.shape.kinds[index] === kind.string ? this.#text(index) : null
  }

  #text(index: number): string {
    if (this.#lastIndex !== index) {
      this.#lastText = this.#at(index).text()
      this.#lastIndex = index
    }
    return this.#lastText
  }

  /** The properties as the origin has them. Nothing of them may leave the service, unless it equals these. */
  get unmasked(): Properties {
    return this
  }

  /** The keyed hash of a publishable property; values that `MERGE` treats as equal have the same. */
  hashed(index: number, by: KeyedHash): string {
    if (this.shape.kinds[index] !== kind.string) return hashOf(this.rendered(index, 'plain'), by)
    const at = this.#at(index)
    const size = at.string()
    return by.ofText(at.bytes.subarray(at.at - size, at.at))
  }

  /** A property as the driver reads it; null if the element does not have it. */
  value(key: string): unknown {
    const index = this.shape.indexOf(key)
    return index === -1 ? null : decode(this.#at(index), this.#source.rows.unpack)
  }

  /** Whether a property is NaN, or a list that contains it. */
  isNaN(index: number): boolean {
    const of = this.shape.kinds[index] as Kind
    if (of === kind.oddFloat) return Number.isNaN(this.#at(index).float())
    if (of !== emptyList + kind.oddFloat) return false
    const at = this.#at(index)
    return Array.from({ length: at.list() }, () => at.float()).some(Number.isNaN)
  }

  /** Describes the type of a property that cannot be published, for an error message. */
  typeName(index: number): string {
    const of = this.shape.kinds[index] as Kind
    const at = this.#at(index)
    if (!isList(of)) return typeNameOf(at, of, this.#source.rows.unpack)
    for (let left = at.list(); left > 0; left--) {
      const start = at.at
      const one = passValue(at)
      at.at = start
      if (isVector(one)) return 'list with a vector'
      if (isList(one) || !isPublishable(one) || needsCypher25(one))
        return `list with a ${typeNameOf(at, one, this.#source.rows.unpack)}`
      at.skip()
    }
    return 'list of values of several types'
  }

  /** The same properties in memory of their own, readable after the rows are released. */
  copy(): Properties {
    const { rows, positions } = this.#source
    const { length } = this.shape.keys
    if (length === 0) return this
    const own = positions.slice(this.#first, this.#first + length)
    const [start] = own as [number]
    const last = this.#at(length - 1)
    last.skip()
    const bytes = Buffer.from(rows.bytes.subarray(start, last.at))
    const source = { rows: { bytes, unpack: rows.unpack }, positions: own.map((position) => position - start) }
    return new Properties(source, this.shape, 0)
  }

  /** The bytes of a property. */
  bytesOf(index: number): Buffer {
    const at = this.#at(index)
    const start = at.at
    at.skip()
    return at.bytes.subarray(start, at.at)
  }

  #at(index: number): Cursor {
    const { rows, positions } = this.#source
    return cursor.open(rows.bytes, positions[this.#first + index] as number, rows.bytes.length)
  }
}
