import { listIn } from '../../packet/kinds/kinds.ts'
import { createShapeTally, type PacketShape } from '../../packet/packet-shape.ts'
import { createRecogniser } from '../../packet/recognise.ts'
import { createNeeds } from '../replay/preflight/needs.ts'
import { checkedParts } from '../replay/source/load-part.ts'
import { requiresOf } from '../replay/source/packet-directory.ts'
import type { Manifest } from './manifest.ts'
import type { Source } from './source.ts'

/** What a packet holds, and what a target needs for it. Statements of the kind `other` are none of the service's. */
export interface Contents extends Pick<Manifest, 'pairs' | 'bytes' | 'statements' | 'requires' | 'report'> {
  /** Null if not known. */
  shape: PacketShape | null
}

/**
 * Takes the contents from the manifest, or else reads all parts, also for a shape that an old manifest lacks.
 * @throws ReplayError `broken`
 */
export async function contentsOf(source: Source, signal: AbortSignal, needsShape = false): Promise<Contents> {
  const { manifest } = source
  if (manifest === null) return readContents(source, signal)
  const { pairs, bytes, statements, requires, report } = manifest
  const shape = needsShape ? (manifest.shape ?? (await readContents(source, signal)).shape) : null
  return { pairs, bytes, statements, requires, report, shape }
}

async function readContents(source: Source, signal: AbortSignal): Promise<Contents> {
  const recognise = createRecogniser()
  const statements: Record<string, number> = {}
  const needs = createNeeds()
  const tally = createShapeTally()
  const total = { pairs: 0, bytes: 0 }
  for await (const { bytes, pairs } of checkedParts(source, signal)) {
    total.bytes += bytes
    total.pairs += pairs.length
    for (const { statement, parameters } of pairs) {
      const recognised = recognise(statement)
      const kind = recognised?.kind ?? 'other'
      statements[kind] = (statements[kind] ?? 0) + 1
      if (recognised === null) continue
      needs.add([{ recognised }])
      tally.add(recognised.topic, listIn(recognised, parameters)?.length ?? 1)
    }
  }
  const shape = tally.read()
  const others = shape.others + (statements.other ?? 0)
  return { ...total, statements, requires: requiresOf(needs.all()), report: null, shape: { ...shape, others } }
}
