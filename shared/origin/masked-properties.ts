import { type Kind, kind } from '../../packet/packstream/kinds.ts'
import type { JsonBytes } from '../../packet/values/json-bytes.ts'
import type { Numbers, Rendered } from '../../packet/values/values.ts'
import type { KeyedHash } from './keyed-hash.ts'
import { Properties } from './properties.ts'
import type { Shape } from './shapes.ts'

/** How the properties of elements of one shape are masked. */
export interface ShapeMask {
  /** The shape afterwards: the same keys, in the same order. A property that is left out is absent. */
  shape: Shape
  /** For each key: the hash that replaces the value, null if null does, or undefined if the value stays. */
  values: readonly (KeyedHash | null | undefined)[]
  /** The rules that changed something. */
  changes: readonly MaskedKey[]
}

/** A property that a rule masks. */
export interface MaskedKey {
  /** The label or relationship type of the rule. */
  name: string
  key: string
  action: 'drop' | 'hash' | 'null'
  index: number
}

const noSource = { rows: { bytes: Buffer.alloc(0), unpack: () => null }, positions: [] }

/**
 * The properties of one element, masked. Values that a rule masks cannot be read from it, except through `unmasked`.
 */
export class MaskedProperties extends Properties {
  readonly #of: Properties
  readonly #mask: ShapeMask
  // Keeps the hash that was made last, because callers read an id several times.
  #hashedIndex = -1
  #hashed = ''

  constructor(of: Properties, mask: ShapeMask) {
    super(noSource, mask.shape, 0)
    this.#of = of
    this.#mask = mask
  }

  override get unmasked(): Properties {
    return this.#of
  }

  /** Which properties are masked. */
  get changes(): readonly MaskedKey[] {
    return this.#mask.changes
  }

  override rendered(index: number, numbers: Numbers): Rendered {
    const mask = this.#mask.values[index]
    if (mask === undefined) return this.#of.rendered(index, numbers)
    return { json: mask === null ? 'null' : `"${this.#hash(index, mask)}"`, wrap: null, list: false }
  }

  override write(index: number, to: JsonBytes, numbers: Numbers): void {
    const mask = this.#mask.values[index]
    if (mask === undefined) this.#of.write(index, to, numbers)
    else to.text(mask === null ? 'null' : `"${this.#hash(index, mask)}"`)
  }

  override text(key: string): string | null {
    const index = this.shape.indexOf(key)
    if (index === -1 || this.shape.kinds[index] !== kind.string) return null
    const mask = this.#mask.values[index]
    if (mask === undefined) return this.#of.text(key)
    return mask && this.#hash(index, mask)
  }

  override value(key: string): unknown {
    const index = this.shape.indexOf(key)
    if (index === -1) return null
    const mask = this.#mask.values[index]
    return mask === undefined ? this.#of.value(key) : mask && this.#hash(index, mask)
  }

  override isNaN(index: number): boolean {
    return this.#of.isNaN(index)
  }

  /** Only asked about a value that cannot be published, which no rule replaces. */
  override typeName(index: number): string {
    return this.#of.typeName(index)
  }

  override copy(): Properties {
    return new MaskedProperties(this.#of.copy(), this.#mask)
  }

  #hash(index: number, by: KeyedHash): string {
    if (this.#hashedIndex !== index) {
      this.#hashed = this.#of.hashed(index, by)
      this.#hashedIndex = index
    }
    return this.#hashed
  }
}

/** The kind that a masked value has: a text, also where null takes its place, which has no type. */
export const maskedKind: Kind = kind.string
