import { type Cursor, isAt } from '../../packet/packstream/cursor.ts'
import { elementKind, type Kind, kind } from '../../packet/packstream/kinds.ts'
import { passValue } from '../../packet/packstream/pass-value.ts'
import { malformed } from './origin-cursor.ts'

/** The keys of an element's properties, in order, and the kinds of their values. Many elements share one shape. */
export class Shape {
  readonly keys: readonly string[]
  readonly kinds: readonly Kind[]
  /** Whether it has zoned datetimes without an offset. */
  readonly lacksOffsets: boolean
  /** Whether its elements have no property at all. */
  readonly isEmpty: boolean
  /** Cache for the statement makers: what one of them last made for an element of this shape. */
  last: object | null = null
  readonly #indexes: ReadonlyMap<string, number>

  /** @throws originBroke (502) if a key occurs twice */
  constructor(keys: readonly string[], kinds: readonly Kind[]) {
    this.keys = keys
    this.kinds = kinds
    this.lacksOffsets = kinds.some((of) => elementKind(of) === kind.zonedAtLocal)
    this.isEmpty = kinds.every((of) => of === kind.absent)
    this.#indexes = new Map(keys.map((key, index) => [key, index]))
    if (this.#indexes.size < keys.length) throw malformed('a map has a key twice')
  }

  /** The index of a property; -1 if the element does not have it. */
  indexOf(key: string): number {
    const index = this.#indexes.get(key)
    return index === undefined || this.kinds[index] === kind.absent ? -1 : index
  }
}

/** The shape of an element of which an origin has answered null in place of its properties. */
export const absentShape = new Shape([], [])

/** A state of the automaton, after some keys and kinds of values. */
interface Step {
  before: Step | null
  key: Buffer
  kind: Kind
  next: Map<string, Step>
  /** The step after this one in the previous element: almost always the right one. */
  last: Step | null
  shape: Shape | null
}

// Limits the memory for an origin whose elements all have different keys. This many steps take about 10 MB.
const [stepsKept, keyBytesKept] = [20_000, 2_000_000]
// Limit for all shapes together. Wide elements that differ in one key share steps, but each of their shapes holds all
// of its keys, about 70 bytes a key.
const keysKept = 200_000
/** Elements with more properties are so rare that each gets a shape of its own. */
const mostSteps = 500
/**
 * Properties of an element that the service reads. Beyond this limit the connection closes with `502 originBroke`. A
 * fifth of this cannot be published. More keys would take hundreds of megabytes.
 */
const mostKeys = 500_000

const newStep = (before: Step | null, key: Buffer, of: Kind): Step => ({
  before,
  key,
  kind: of,
  next: new Map(),
  last: null,
  shape: null,
})

/** Finds the shapes of elements, by an automaton over the bytes of their keys and the kinds of their values. */
export class Shapes {
  #root = newStep(null, Buffer.alloc(0), 0)
  #steps = 0
  #keyBytes = 0
  #keys = 0
  /** Number of keys decoded to strings: a string that is not shared takes more memory than its bytes. */
  made = 0

  /**
   * Moves past a map of properties, and adds the position of each value to `positions`.
   * @throws originBroke (502) if it is malformed
   */
  read(cursor: Cursor, positions: number[]): Shape {
    // Neo4j returns null for an element that is deleted while it is read.
    if (cursor.passNull()) return absentShape
    const count = cursor.map()
    if (count > mostKeys) throw malformed(`an element has more than ${mostKeys} properties`)
    if (count > mostSteps) {
      this.made += count
      return single(cursor, count, positions)
    }
    let step = this.#root
    for (let index = 0; index < count; index++) {
      const size = cursor.string()
      const start = cursor.at - size
      positions.push(cursor.at)
      const of = passValue(cursor)
      const { last } = step
      step =
        last !== null && last.kind === of && last.key.length === size && isAt(last.key, cursor.bytes, start)
          ? last
          : this.#follow(step, cursor.bytes.subarray(start, start + size), of)
    }
    return this.#shapeOf(step, count)
  }

  /**
   * Moves past a list of the values of these keys, and adds the position of each value to `positions`. Ignores a value
   * whose key is null.
   * A list of another length is as null: the labels that the keys are of have changed, or the element was deleted.
   * @throws originBroke (502) if it is malformed
   */
  readValues(cursor: Cursor, keys: readonly (Buffer | null)[], positions: number[]): Shape {
    const count = cursor.passNull() ? -1 : cursor.list()
    let step = this.#root
    let read = 0
    for (let index = 0; index < count; index++) {
      const key = count === keys.length ? keys[index] : null
      if (!key) {
        cursor.skip()
        continue
      }
      read++
      positions.push(cursor.at)
      const of = passValue(cursor)
      const { last } = step
      step = last?.kind === of && last.key.equals(key) ? last : this.#follow(step, key, of)
    }
    return count === keys.length ? this.#shapeOf(step, read) : absentShape
  }

  #shapeOf(step: Step, count: number): Shape {
    if (step.shape === null) {
      if (this.#keys > keysKept) this.#forget()
      this.#keys += count
      this.made += count
      step.shape = shapeOf(step)
    }
    return step.shape
  }

  #follow(step: Step, key: Buffer, of: Kind): Step {
    const name = `${of} ${key.toString('latin1')}`
    let next = step.next.get(name)
    if (next === undefined) {
      if (this.#steps >= stepsKept || this.#keyBytes >= keyBytesKept) this.#forget()
      next = newStep(step, Buffer.from(key), of)
      step.next.set(name, next)
      this.#steps++
      this.#keyBytes += key.length
    }
    step.last = next
    return next
  }

  #forget() {
    this.#root = newStep(null, Buffer.alloc(0), 0)
    this.#steps = 0
    this.#keyBytes = 0
    this.#keys = 0
  }
}

function shapeOf(end: Step): Shape {
  const keys: string[] = []
  const kinds: Kind[] = []
  for (let step = end; step.before !== null; step = step.before) {
    keys.push(step.key.toString())
    kinds.push(step.kind)
  }
  return new Shape(keys.reverse(), kinds.reverse())
}

function single(cursor: Cursor, count: number, positions: number[]): Shape {
  const keys: string[] = []
  const kinds: Kind[] = []
  for (let index = 0; index < count; index++) {
    keys.push(cursor.text())
    positions.push(cursor.at)
    kinds.push(passValue(cursor))
  }
  return new Shape(keys, kinds)
}
