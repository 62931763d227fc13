import { createHash } from 'node:crypto'
import { type LoadSettings, loadPart, readPart } from '../source/load-part.ts'
import type { PacketSource } from '../source/packet-source.ts'
import type { Uniqueness } from './constraints.ts'
import { createNeeds } from './needed.ts'

export interface Survey {
  /** Identifies the packet. */
  sha256: string
  needed: readonly Uniqueness[]
}

/** Finds out what a packet needs: from its manifest, or else by reading and checking every part first. */
export async function survey(source: PacketSource, settings: LoadSettings, signal: AbortSignal): Promise<Survey> {
  const hash = createHash('sha256')
  if (source.requires !== null) {
    for (const { name, sha256 } of source.parts) hash.update(`${sha256 ?? name}\n`)
    return { sha256: source.sha256 ?? hash.digest('hex'), needed: source.requires.constraints }
  }
  const needs = createNeeds()
  for (const index of source.parts.keys()) {
    const { items, sha256 } = loadPart(source, index, await readPart(source, index, signal), settings)
    needs.add(items)
    hash.update(`${sha256}\n`)
  }
  return { sha256: source.sha256 ?? hash.digest('hex'), needed: needs.all() }
}
