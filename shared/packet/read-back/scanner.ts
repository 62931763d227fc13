import { isQuotable } from '../cypher/identifiers.ts'
import type { ParameterSyntax, Template } from '../cypher/parameters.ts'

/** Thrown if a text is not of the kind being tried. A single object, because most texts mismatch several kinds. */
export const mismatch = new Error('the text is not of this kind')

/** Reads a statement's text from left to right, in time linear in its length. */
export function createScanner(text: string) {
  let at = 0
  let syntax: ParameterSyntax | null = null

  function takes(literal: string): boolean {
    if (!text.startsWith(literal, at)) return false
    at += literal.length
    return true
  }

  function takesParameter(): boolean {
    parameter.lastIndex = at
    const found = parameter.exec(text)
    if (found === null) return false
    at = parameter.lastIndex
    syntax ??= found[0].startsWith('$') ? 'dollar' : 'braces'
    return true
  }

  return {
    takes,

    /** Starts again at the beginning of the text. */
    restart(): void {
      at = 0
      syntax = null
    },

    expect(literal: string): void {
      if (!takes(literal)) throw mismatch
    },

    /** Reads the name in a quoted identifier. Accepts only names that the service writes. */
    name(): string {
      const start = at + 1
      let end = text[at] === '`' ? text.indexOf('`', start) : -1
      while (end !== -1 && text[end + 1] === '`') end = text.indexOf('`', end + 2)
      const name = end === -1 ? '' : text.slice(start, end).replaceAll('``', '`')
      if (!isQuotable(name)) throw mismatch
      at = end + 1
      return name
    },

    /** Takes a template's text, with any parameter where it has one. Takes nothing if the text differs. */
    takesTemplate(template: Template): boolean {
      const start = at
      if (template.every((part) => (typeof part === 'string' ? takes(part) : takesParameter()))) return true
      at = start
      return false
    },

    /** Reads digits, perhaps none. */
    digits(): string {
      const start = at
      while (isDigit(text.charCodeAt(at))) at++
      return text.slice(start, at)
    },

    isAtEnd: () => at === text.length,

    /** The syntax of the first parameter. */
    syntax: () => syntax ?? 'dollar',
  }
}

export type Scanner = ReturnType<typeof createScanner>

const isDigit = (code: number) => code >= 0x30 && code <= 0x39
const parameter = /\$[A-Za-z_][A-Za-z0-9_]*|\{[A-Za-z_][A-Za-z0-9_]*\}/y
