import { number } from '../format.ts'

/** What is drawn: a bubble for each label, and arrows between them. Texts may have any characters. */
export interface Picture {
  title: string
  bubbles: Bubble[]
  arrows: Arrow[]
}

export interface Bubble {
  label: string
  lines: string[]
  /** Lines about deletions or differences. These lines, and the border of their bubble, are highlighted. */
  marked: string[]
}

export interface Arrow {
  /** A label that has a bubble; `to` is one, too. */
  from: string
  to: string
  text: string
}

const mostLines = 12

/** The first twelve lines, and how many more there are. */
export function shortened(lines: readonly string[]): string[] {
  const more = lines.length - mostLines
  return more > 0 ? [...lines.slice(0, mostLines), `and ${number.format(more)} more`] : [...lines]
}

const longestText = 60
export const longestTitle = 200

/** A text that is short enough to be drawn, in which every character is one that XML can have. */
export function drawable(text: string, longest = longestText): string {
  const characters = [...text.slice(0, 2 * longest + 2).toWellFormed()]
  const shown = characters.length > longest ? [...characters.slice(0, longest - 1), '…'] : characters
  return shown.join('').replace(undrawable, '\ufffd')
}

// Control characters, line separators, characters that change the direction of a text, and noncharacters.
const undrawable = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffe\uffff]/gu
