import { type Cursor, isAt } from '../../packet/packstream/cursor.ts'
import { malformed } from './origin-cursor.ts'

// The nodes of an origin mostly have few different sets of labels.
const setsKept = 1_000
const longestKept = 1_000
/** Labels of a node. Beyond this limit the connection closes with `502 originBroke`. */
const mostLabels = 10_000

/** Reads the labels of nodes. Equal sets mostly share one array, so that callers can compare them by reference. */
export class LabelSets {
  readonly #sets = new Map<string, readonly string[]>()
  #bytes = Buffer.alloc(0)
  #labels: readonly string[] = []
  /** Number of labels decoded to strings: a string that is not shared takes more memory than its bytes. */
  made = 0

  /** @throws originBroke (502) if they are malformed */
  read(cursor: Cursor): readonly string[] {
    const { bytes, at: start } = cursor
    // These are almost always the labels of the previous node. A list is never the beginning of another one.
    const size = this.#bytes.length
    if (size > 0 && size <= cursor.end - start && isAt(this.#bytes, bytes, start)) {
      cursor.at = start + size
      return this.#labels
    }
    const count = cursor.passNull() ? 0 : cursor.list()
    if (count > mostLabels) throw malformed(`a node has more than ${mostLabels} labels`)
    const labels = Array.from({ length: count }, () => cursor.text())
    this.made += count
    const list = bytes.subarray(start, cursor.at)
    if (list.length > longestKept) return labels
    const name = list.toString('latin1')
    if (this.#sets.size >= setsKept) this.#sets.clear()
    this.#labels = this.#sets.get(name) ?? labels
    this.#sets.set(name, this.#labels)
    this.#bytes = Buffer.from(list)
    return this.#labels
  }
}
