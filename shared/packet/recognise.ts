import { LRUCache } from 'lru-cache'
import { render, type Template } from './cypher/parameters.ts'
import { kinds, type Structure, statementOf } from './kinds/kinds.ts'
import type { Topic } from './kinds/statement.ts'
import { partLimits } from './parts/part-buffer.ts'
import { createScanner, mismatch, type Scanner } from './read-back/scanner.ts'

/**
 * A statement of the service, read back: what it says, as it was read, its text, what it is about, and the names of its
 * parameters.
 */
export type Recognised = Structure & { statement: string; text: Template; topic: Topic; parameters: readonly string[] }

// No statement of the service is longer, as its pair has at most so many bytes.
const longestText = partLimits(1).maxPairBytes

/**
 * Reads a statement that this service writes, in either parameter syntax. A text is recognised only if the service
 * writes exactly it for what was read from it, so the grammar need not repeat how statements are written, and nothing
 * can hide in a recognised text.
 * @returns null for any other text.
 */
export function recognise(text: string): Recognised | null {
  if (text.length > longestText) return null
  const scanner = createScanner(text)
  for (const { read } of Object.values(kinds)) {
    scanner.restart()
    const structure = readBy(read, scanner)
    if (structure === null || !scanner.isAtEnd()) continue
    const { text: written, topic, bindings } = statementOf(structure)
    if (render(written, scanner.syntax()) !== text) continue
    const parameters = [...new Set(bindings.map(({ name }) => name))]
    return { ...structure, statement: text, text: written, topic, parameters }
  }
  return null
}

function readBy(read: (scanner: Scanner) => Structure, scanner: Scanner): Structure | null {
  try {
    return read(scanner)
  } catch (error) {
    if (error === mismatch) return null
    throw error
  }
}

export type Recognise = (text: string) => Recognised | null

// A packet has few texts, but may have one a pair: what is kept is bounded.
const keptCharacters = 8_000_000

/** Recognises, and remembers recent texts. */
export function createRecogniser(): Recognise {
  const known = new LRUCache<string, { recognised: Recognised | null }>({
    maxSize: keptCharacters,
    sizeCalculation: (_value, text) => text.length + 1,
  })
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found.recognised
    const recognised = recognise(text)
    known.set(text, { recognised })
    return recognised
  }
}
