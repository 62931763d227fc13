import { hash } from 'node:crypto'
import { oldestServer, uniqueness } from '../../../shared/packet/cypher/schema.ts'
import type { StatementCounts } from '../../../shared/packet/kinds/statement.ts'
import type { Uniqueness } from '../preflight/constraints.ts'

export interface LocalPart {
  fileName: string
  pairs: number
  bytes: number
  sha256: string
}

interface Contents {
  packet: string
  parts: readonly LocalPart[]
  statements: StatementCounts
  /** The uniqueness constraints that a target needs. */
  needed: readonly Uniqueness[]
}

/** What a target needs for a packet whose pairs find nodes by these properties. */
export const requiresOf = (needed: readonly Uniqueness[]) => ({
  server: oldestServer,
  constraints: needed.map(({ label, property }) => ({ label, property, cypher: uniqueness(label, property) })),
})

/** The text of the manifest of a packet that is written into a directory, in the form of a stored packet's. Contract 7. */
export function localManifest({ packet, parts, statements, needed }: Contents, more: object): string {
  const sum = (key: 'pairs' | 'bytes') => parts.reduce((total, part) => total + part[key], 0)
  const manifest = {
    ...{ packet, generation: 0, createdAt: new Date().toISOString(), pairs: sum('pairs'), bytes: sum('bytes') },
    sha256: hash('sha256', parts.map(({ sha256 }) => sha256).join('\n')),
    ...{ parts, statements, requires: requiresOf(needed), report: null, ...more },
  }
  return JSON.stringify(manifest, null, 2)
}
