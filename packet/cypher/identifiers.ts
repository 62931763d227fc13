/**
 * The only place that quotes labels, types and property keys: in backticks, with inner backticks doubled (contract 5).
 * `isQuotable` refuses backslashes earlier: Cypher 5 decodes `\u0060` inside a quoted identifier first.
 */
export const quote = (name: string): string => `\`${name.replaceAll('`', '``')}\``

/** What no name may have. Java reads the source of this expression alike. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
export const unquotable = /[\\\u0000-\u001f\u007f-\u009f]/

/**
 * Whether a statement's text can contain this name: no backslash, control character or lone surrogate, and not too
 * long. Contract 5.
 */
export const isQuotable = (name: string): boolean =>
  name !== '' && name.length <= longestName && !unquotable.test(name) && name.isWellFormed()

/**
 * Characters of a label, type or property key. Beyond this limit the answer is `400 invalidRequest`; an element of the
 * origin is unpublishable.
 */
export const longestName = 65_535

/** Compares names by code point (UTF-16 order differs above U+FFFF). Contract 5. */
export function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index)
    const right = b.charCodeAt(index)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

/** Ranks surrogates above the rest of the basic plane, as the code points they encode. */
const rank = (unit: number) => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)
