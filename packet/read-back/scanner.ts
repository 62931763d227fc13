import { isQuotable } from '../cypher/identifiers.ts'
import type { ParameterSyntax, Template } from '../cypher/parameters.ts'

/** Thrown if a text is not of the kind being tried. A single object, because most texts mismatch several kinds. */
export const mismatch = new Error('the text is not of this kind')

type Reader<T> = (scanner: Scanner) => T

/** Reads a statement's text from left to right, in time linear in its length. */
export class Scanner {
  readonly #text: string
  #at = 0
  /** The syntax of the first parameter. */
  syntax: ParameterSyntax | null = null

  constructor(text: string) {
    this.#text = text
  }

  /** Template tag: expects the literal texts, and between them what the readers read. */
  read<T extends unknown[]>(texts: TemplateStringsArray, ...readers: { [K in keyof T]: Reader<T[K]> }): T {
    this.expect(texts[0] as string)
    return readers.map((reader, index) => {
      const found = reader(this)
      this.expect(texts[index + 1] as string)
      return found
    }) as T
  }

  isAt(literal: string): boolean {
    return this.#text.startsWith(literal, this.#at)
  }

  takes(literal: string): boolean {
    if (!this.isAt(literal)) return false
    this.#at += literal.length
    return true
  }

  expect(literal: string): void {
    if (!this.takes(literal)) throw mismatch
  }

  /** Takes a template's text, with any parameter where it has one. Takes nothing if the text differs. */
  takesTemplate(template: Template): boolean {
    const start = this.#at
    if (template.every((part) => (typeof part === 'string' ? this.takes(part) : this.#takesParameter()))) return true
    this.#at = start
    return false
  }

  #takesParameter(): boolean {
    parameter.lastIndex = this.#at
    const found = parameter.exec(this.#text)
    if (found === null) return false
    this.#at = parameter.lastIndex
    this.syntax ??= found[0].startsWith('$') ? 'dollar' : 'braces'
    return true
  }

  /** Reads digits, perhaps none. */
  digits(): string {
    const start = this.#at
    while (isDigit(this.#text.charCodeAt(this.#at))) this.#at++
    return this.#text.slice(start, this.#at)
  }

  /** Reads the name in a quoted identifier. Accepts only names that the service writes. */
  name(): string {
    const text = this.#text
    const start = this.#at + 1
    let end = this.isAt('`') ? text.indexOf('`', start) : -1
    while (end !== -1 && text[end + 1] === '`') end = text.indexOf('`', end + 2)
    const name = end === -1 ? '' : text.slice(start, end).replaceAll('``', '`')
    if (!isQuotable(name)) throw mismatch
    this.#at = end + 1
    return name
  }

  isAtEnd(): boolean {
    return this.#at === this.#text.length
  }
}

const isDigit = (code: number) => code >= 0x30 && code <= 0x39
const parameter = /\$[A-Za-z_][A-Za-z0-9_]*|\{[A-Za-z_][A-Za-z0-9_]*\}/y
