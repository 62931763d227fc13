import { oldestServer, uniqueness } from '../../shared/packet/cypher/schema.ts'
import { identitiesOf } from '../../shared/packet/kinds/kinds.ts'
import { parsePart } from '../../shared/packet/parts/parse-part.ts'
import { createRecogniser } from '../../shared/packet/recognise.ts'
import { brokenIn, readPart } from '../replay/source/load-part.ts'
import type { Manifest } from './manifest.ts'
import type { Source } from './source.ts'

/** What a packet holds, and what a target needs for it. */
export interface Contents {
  pairs: number
  bytes: number
  /** By kind; `other` are statements that the service does not write. */
  statements: Record<string, number>
  requires: { server: string; constraints: Constraint[]; moreConstraints?: number }
  /** What was requested but is not in the packet; null if not known. */
  report: Manifest['report']
}

interface Constraint {
  label: string
  property: string
  /** The statement that creates it, by version of Neo4j. */
  cypher: Record<string, string>
}

/** Takes the contents from the manifest, or else reads all parts. */
export async function contentsOf(source: Source, signal: AbortSignal): Promise<Contents> {
  const { manifest } = source
  if (manifest === null) return readContents(source, signal)
  const { pairs, bytes, statements, requires, report } = manifest
  return { pairs, bytes, statements, requires, report }
}

async function readContents(source: Source, signal: AbortSignal): Promise<Contents> {
  const recognise = createRecogniser()
  const statements: Record<string, number> = {}
  const constraints = new Map<string, Constraint>()
  const total = { pairs: 0, bytes: 0 }
  for (const [index] of source.parts.entries()) {
    const stored = await readPart(source, index, signal)
    total.bytes += stored.length
    for (const { statement } of brokenIn(source.parts, index, () => parsePart(stored))) {
      total.pairs++
      const recognised = recognise(statement)
      const kind = recognised?.kind ?? 'other'
      statements[kind] = (statements[kind] ?? 0) + 1
      for (const { label, idProperty } of recognised ? identitiesOf(recognised) : []) {
        const constraint = { label, property: idProperty, cypher: uniqueness(label, idProperty) }
        constraints.set(JSON.stringify([label, idProperty]), constraint)
      }
    }
  }
  return {
    ...total,
    statements,
    requires: { server: oldestServer, constraints: [...constraints.values()] },
    report: null,
  }
}
