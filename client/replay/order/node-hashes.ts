import { fnv1a } from '../../../packet/fnv1a.ts'
import type { Item } from './batches.ts'

/**
 * The nodes that a pair touches, each as a hash of its id; for a relationship, the start comes first. Ids that a database
 * treats as equal, such as 5 and 5.0, have the same hash. Nodes that it distinguishes, such as two with one id and
 * different labels, may share a hash too, which costs a little parallelism.
 */
export const nodeHashes = ({ recognised, parameters }: Pick<Item, 'recognised' | 'parameters'>): number[] =>
  recognised.identities.map(({ parameter }) => hashOf(idText(parameters[parameter])))

function idText(id: unknown): string {
  if (typeof id === 'number') return Number.isInteger(id) ? String(BigInt(id)) : String(id)
  if (Array.isArray(id)) return id.map(idText).join('\u0001')
  if (typeof id === 'object' && id !== null) return Object.values(id).map(idText).join('\u0001')
  return String(id)
}

/** A hash of 31 bits. */
export function hashOf(text: string): number {
  const hash = fnv1a(text)
  // The low bits alone are a far weaker hash.
  return (hash ^ (hash >>> 15)) >>> 1
}
