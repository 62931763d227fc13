/**
 * The one place that quotes labels, types and property keys: always in backticks, inner backticks doubled (contract 5).
 * Backslashes are refused before (`isQuotable`): Cypher 5 decodes `\u0060` inside a quoted identifier first.
 */
export const quote = (name: string): string => `\`${name.replaceAll('`', '``')}\``

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const unquotable = /[\\\u0000-\u001f\u007f-\u009f]/

/** Can this name stand in a statement's text? Not with a backslash, a control character or a lone surrogate, nor longer than any is. Contract 5. */
export const isQuotable = (name: string): boolean =>
  name !== '' && name.length <= longestName && !unquotable.test(name) && name.isWellFormed()

// No database takes a longer one.
export const longestName = 65_535

/** Orders names as the texts do: by code point (UTF-16 order differs above U+FFFF). Contract 5. */
export function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index)
    const right = b.charCodeAt(index)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

/** Moves surrogates above the rest of the basic plane, where their code points are. */
const rank = (unit: number) => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)
