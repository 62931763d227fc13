import { createHash } from 'node:crypto'
import { identitiesOf, type Structure } from '../../../packet/kinds/kinds.ts'
import type { Anchor } from '../../../packet/kinds/statement.ts'
import type { Item } from '../order/batches.ts'
import { type LoadSettings, loadPart, type PacketSource, readPart } from '../source/load-part.ts'
import type { Uniqueness } from './constraints.ts'

/** Collects, without duplicates, the properties by which pairs find the nodes that `of` returns. */
export function createNeeds(of: (it: Structure) => readonly Anchor[] = identitiesOf) {
  const needed = new Map<string, Uniqueness>()
  const seen = new WeakSet<object>()
  return {
    add(items: readonly Pick<Item, 'recognised'>[]): void {
      for (const { recognised } of items) {
        if (seen.has(recognised)) continue
        seen.add(recognised)
        for (const { label, idProperty } of of(recognised)) {
          needed.set(`${label}\u0000${idProperty}`, { label, property: idProperty })
        }
      }
    },
    all: (): Uniqueness[] => [...needed.values()],
  }
}

/**
 * Finds out what a packet needs: from its manifest, or else by reading and checking every part first.
 * @returns the needs, and a digest that identifies the packet
 */
export async function survey(
  source: PacketSource,
  { recognise, signal }: LoadSettings,
): Promise<{ sha256: string; needed: readonly Uniqueness[] }> {
  const hash = createHash('sha256')
  if (source.requires !== null) {
    for (const { name, sha256 } of source.parts) hash.update(`${sha256 ?? name}\n`)
    return { sha256: source.sha256 ?? hash.digest('hex'), needed: source.requires.constraints }
  }
  const needs = createNeeds()
  for (const index of source.parts.keys()) {
    const { items, sha256 } = loadPart(source, index, await readPart(source, index, signal), recognise)
    needs.add(items)
    hash.update(`${sha256}\n`)
  }
  return { sha256: source.sha256 ?? hash.digest('hex'), needed: needs.all() }
}
