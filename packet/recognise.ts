import { LRUCache } from 'lru-cache'
import { render, type Template } from './cypher/parameters.ts'
import { formerTextOf, identitiesOf, kinds, type Structure, statementOf } from './kinds/kinds.ts'
import type { IdentifiedNode, Topic } from './kinds/statement.ts'
import { partLimits } from './parts/part-buffer.ts'
import { mismatch, Scanner } from './read-back/scanner.ts'

/**
 * A statement of the service that was read back: its structure, its text as it was read and, as the service writes it
 * today, as a template, its topic, and the names of its parameters.
 */
export type Recognised = Structure & {
  statement: string
  text: Template
  topic: Topic
  parameters: readonly string[]
  /** The nodes that it names by their identities; for a relationship, the start comes first. */
  identities: readonly IdentifiedNode[]
}

// No statement of the service is longer, because a pair has at most this many bytes.
const longestText = partLimits(1).maxPairBytes

/**
 * Reads a statement that this service writes, in either parameter syntax. A text is recognised only if the service
 * writes exactly this text for the structure that was read, or once did. So the grammar need not repeat how statements are written,
 * and nothing can hide in a recognised text.
 * @returns null for any other text.
 */
export function recognise(text: string): Recognised | null {
  if (text.length > longestText) return null
  for (const { read } of Object.values(kinds)) {
    const scanner = new Scanner(text)
    const structure = readBy(read, scanner)
    if (structure === null || !scanner.isAtEnd()) continue
    const { text: written, topic, bindings } = statementOf(structure)
    const isWritten = [written, formerTextOf(structure)].some((one) => one && renderLike(one, scanner) === text)
    if (!isWritten) continue
    const parameters = [...new Set(bindings.map(({ name }) => name))]
    return { ...structure, statement: text, text: written, topic, parameters, identities: identitiesOf(structure) }
  }
  return null
}

const renderLike = (it: Template, { syntax }: Scanner) => render(it, syntax ?? 'dollar')

function readBy(read: (scanner: Scanner) => Structure, scanner: Scanner): Structure | null {
  try {
    return read(scanner)
  } catch (error) {
    if (error === mismatch) return null
    throw error
  }
}

export type Recognise = (text: string) => Recognised | null

// Most packets have few texts, but a packet may have one per pair, so the memory for texts is limited.
const keptCharacters = 8_000_000

/** Recognises statements, and remembers recent texts. */
export function createRecogniser(): Recognise {
  const known = new LRUCache<string, { recognised: Recognised | null }>({
    maxSize: keptCharacters,
    sizeCalculation: (_value, text) => text.length + 1,
  })
  let last: Recognised | null = null
  return (text) => {
    // Most pairs have the text of the pair before; comparing two texts is faster than hashing one.
    if (text === last?.statement) return last
    const found = known.get(text)
    last = found === undefined ? recognise(text) : found.recognised
    if (found === undefined) known.set(text, { recognised: last })
    return last
  }
}
