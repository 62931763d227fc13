import { createHash } from 'node:crypto'
import {
  type PacketSource,
  type PartSource,
  type ReplayOptions,
  type ReplayReport,
  replay,
  type Target,
} from '../../../client/replay/replay.ts'
import { type VerifyOptions, type VerifyReport, verify } from '../../../client/replay/verify/verify.ts'
import { localSource } from '../../../client/source/local.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { render } from '../../../packet/cypher/parameters.ts'
import type { Statement } from '../../../packet/kinds/statement.ts'
import { stringifyLossless } from '../../../packet/lossless-json.ts'
import type { Pair } from '../../../packet/parts/parse-part.ts'

export const targetOf = ({ boltUrl, username, password }: Neo4jAddress): Target => ({
  url: boltUrl,
  database: null,
  user: username,
  password,
})

const part = (name: string, pairs: readonly Pair[]): PartSource => ({
  name,
  pairs: null,
  sha256: null,
  read: async () => Buffer.from(stringifyLossless({ statements: pairs })),
})

/** A packet of bare part files. */
export const sourceOf = (...parts: readonly (readonly Pair[])[]): PacketSource => ({
  name: './packet.json',
  sha256: null,
  generation: null,
  requires: null,
  parts: parts.map((pairs, index) => part(`./packet.jsonPart${index + 1}of${parts.length}`, pairs)),
})

/** The same with a manifest, which describes each part and what a target needs. */
export const partsWithManifest = (
  constraints: { label: string; property: string }[],
  ...parts: readonly (readonly Pair[])[]
): PacketSource => {
  const stored = parts.map((pairs) => Buffer.from(stringifyLossless({ statements: pairs })))
  const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
  return {
    name: 'acme/people.json',
    sha256: sha256(Buffer.concat(stored)),
    generation: 3,
    requires: { server: 'Neo4j 3.5', constraints },
    parts: stored.map((bytes, index) => ({
      name: `people.jsonPart${index + 1}of${parts.length}`,
      pairs: parts[index]?.length ?? 0,
      sha256: sha256(bytes),
      read: async () => bytes,
    })),
  }
}

const usual: ReplayOptions = {
  lanes: 4,
  batchRows: 1_000,
  stateFile: null,
  signal: new AbortController().signal,
}

export const replayed = (
  source: PacketSource,
  address: Neo4jAddress,
  options: Partial<ReplayOptions> = {},
  changed: Partial<Target> = {},
): Promise<ReplayReport> => replay(source, { ...targetOf(address), ...changed }, { ...usual, ...options })

export const pairOf = (statement: string, parameters: Pair['parameters']): Pair => ({
  statement,
  parameters,
  metadata: null,
})

export const nodeUpsert = (label: string, id: unknown): Pair =>
  pairOf(`MERGE (n:\`${label}\` {\`id\`: $id}) SET n = {\`id\`: $id}`, { id })

export const relationshipUpsert = (label: string, start: unknown, end: unknown, at: unknown = 1n): Pair => {
  const [a, b] = [`(a:\`${label}\` {\`id\`: $a_id})`, `(b:\`${label}\` {\`id\`: $b_id})`]
  const text = `MERGE ${a} MERGE ${b} MERGE (a)-[r:\`KNOWS\`]->(b) SET r = {\`at\`: $at}`
  return pairOf(text, { a_id: start, b_id: end, at })
}

export const verified = (
  source: PacketSource,
  address: Neo4jAddress,
  options: Partial<VerifyOptions> = {},
): Promise<VerifyReport> => verify(source, targetOf(address), { ...usualComparison, ...options })

export const usualComparison: VerifyOptions = {
  lanes: 'auto',
  batchRows: 1_000,
  sample: 1,
  mostShown: 20,
  signal: new AbortController().signal,
}

/** The pair of a statement, in the syntax with `$`. */
export const pairOfStatement = ({ text }: Statement<unknown>, parameters: Pair['parameters']): Pair =>
  pairOf(render(text, 'dollar'), parameters)

/** Replays the undo that a replay wrote into a directory. */
export async function undone(directory: string, address: Neo4jAddress): Promise<ReplayReport> {
  return replayed((await localSource(directory)) as PacketSource, address)
}
