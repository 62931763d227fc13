import { hash } from 'node:crypto'
import { render } from '../../../shared/packet/cypher/parameters.ts'
import { canonicalText } from '../../../shared/packet/lossless-json.ts'
import type { Pair } from '../../../shared/packet/parts/parse-part.ts'
import type { Recognised } from '../../../shared/packet/recognise.ts'

// One buffer for all hashes: a new buffer for each would take memory outside the heap, which is released late.
const digest = Buffer.from(new ArrayBuffer(32))
const words = new Uint32Array(digest.buffer)

/**
 * The digest of a pair's statement and parameters: the same in both parameter syntaxes, and in any order of the keys of
 * maps. 1 and 1.0 differ. Metadata does not count.
 * @returns eight words, valid until the next call
 */
export function pairHash({ statement, parameters }: Pair, recognised: Recognised | null): Uint32Array {
  const text = recognised === null ? statement : dollarText(recognised)
  // The end of the JSON is always recognisable, so no two different pairs have the same text.
  digest.write(hash('sha256', canonicalText(parameters) + text, 'binary'), 'latin1')
  return words
}

const texts = new WeakMap<Recognised, string>()

/** The statement as the service writes it with `$` before the names of parameters. */
function dollarText(recognised: Recognised): string {
  const known = texts.get(recognised)
  if (known !== undefined) return known
  const text = render(recognised.text, 'dollar')
  texts.set(recognised, text)
  return text
}
