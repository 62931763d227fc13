const tokens = {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows none of them in a string
  string: /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y,
  scalar: /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y,
  space: /[ \t\r\n]*/y,
}

/** Where a text stops being JSON. */
export interface JsonFault {
  offset: number
  /** Both from 1. */
  line: number
  column: number
  /** In words: `a comma or }`. */
  expected: string
}

type Next = 'value' | 'firstValue' | 'key' | 'firstKey' | 'colon' | 'comma' | 'end'

/** @returns the first place at which a text is not JSON, which engines do not always say; null if it is JSON */
export function jsonFault(text: string): JsonFault | null {
  const open: ('{' | '[')[] = []
  let [at, next]: [number, Next] = [0, 'value']
  const take = (name: keyof typeof tokens): boolean => {
    const token = tokens[name]
    token.lastIndex = at
    const [found] = token.exec(text) ?? []
    at += found?.length ?? 0
    return found !== undefined
  }
  const afterValue = (): Next => (open.length === 0 ? 'end' : 'comma')
  for (;;) {
    take('space')
    const character = text[at]
    if (next === 'end' && character === undefined) return null
    const closes = open.at(-1) === '{' ? '}' : ']'
    if (character === closes && open.length > 0 && ['firstValue', 'firstKey', 'comma'].includes(next)) {
      at++
      open.pop()
      next = afterValue()
    } else if (next === 'comma' && character === ',') {
      at++
      next = closes === '}' ? 'key' : 'value'
    } else if (next === 'colon' && character === ':') {
      at++
      next = 'value'
    } else if (next === 'key' || next === 'firstKey') {
      if (!take('string')) return faultAt(text, at, next === 'key' ? 'a name in quotes' : 'a name in quotes, or }')
      next = 'colon'
    } else if (next === 'value' || next === 'firstValue') {
      if (character === '{' || character === '[') {
        at++
        open.push(character)
        next = character === '{' ? 'firstKey' : 'firstValue'
      } else if (take('string') || take('scalar')) next = afterValue()
      else return faultAt(text, at, 'a value')
    } else
      return faultAt(text, at, { comma: `a comma or ${closes}`, colon: 'a colon', end: 'the end of the text' }[next])
  }
}

function faultAt(text: string, offset: number, expected: string): JsonFault {
  const lines = text.slice(0, offset).split('\n')
  return { offset, line: lines.length, column: (lines.at(-1) as string).length + 1, expected }
}

/** What a person must know about it. */
export const faultText = ({ line, column, expected }: JsonFault): string =>
  `not valid JSON: line ${line}, column ${column}: expected ${expected}`
