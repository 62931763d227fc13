import type { Driver } from 'neo4j-driver'
import { run } from '../../../dev/replay/neo4j.ts'
import { database, inSlices, uniqueName } from '../../../dev/requests.ts'
import type { Neo4jAddress } from '../../../dev/stack/stack.ts'
import { type Pair, parsePart } from '../../../packet/parts/parse-part.ts'
import { subRequestsPerSlice } from '../../../shared/jobs/job.ts'
import { drawRing } from '../graphs/social-graph.ts'

/** A graph whose nodes and relationships all carry its marker, so that every pair identifies its version. */
export interface Version {
  marker: string
  label: string
  /** Sub-requests of a multi that publishes the whole graph, without names; the origin is included. */
  requests: readonly object[]
  pairs: number
}

const idsPerRequest = 10
// The node, and its relationship to the next.
const pairsPerId = 2

export async function drawVersion(driver: Driver, origin: Neo4jAddress, people: number): Promise<Version> {
  const label = uniqueName('Person')
  const ids = await drawRing(driver, label, people, label)
  await run(driver, `MATCH (:\`${label}\`)-[r:KNOWS]->() SET r.marker = $label`, { label })
  const fields = {
    ...database(origin, label, 'id'),
    metadata: true,
    relationships: ['KNOWS>'],
    preventCleanup: true,
    parameterSyntax: 'dollar',
  }
  const requests = inSlices(ids, idsPerRequest).map((originIds) => ({ ...fields, originIds }))
  return { marker: label, label, requests, pairs: pairsPerId * people }
}

/** How a packet of a version is split into parts. */
export interface Expected {
  version: Version
  batchSize: number
  /** Two jobs may publish it because Redis forgot its idempotency key, so it may return after being replaced. */
  mayComeBack?: boolean
}

/**
 * Returns the version to which all parts of a packet belong.
 * @throws Error if parts are mixed, missing or incomplete.
 */
export function wholeVersion(texts: readonly string[], expected: readonly Expected[]): string {
  const parts = texts.map(parsePart)
  const markers = new Set(parts.flat().map(markerOf))
  const [marker] = markers
  const sizes = parts.map((pairs) => pairs.length)
  const fits = expected.some(({ version, batchSize }) => {
    return version.marker === marker && String(sizes) === String(partSizes(version, batchSize))
  })
  const hasEndings = parts.every((pairs) => pairs.at(-1)?.metadata != null)
  if (markers.size === 1 && fits && hasEndings) return marker as string
  throw new Error(`not a whole packet: parts of ${sizes} pairs, versions ${[...markers]}, endings: ${hasEndings}`)
}

/** A large multi is split per slice. */
function partSizes({ pairs }: Version, batchSize: number): number[] {
  const perSlice = subRequestsPerSlice * idsPerRequest * pairsPerId
  return cut(pairs, perSlice).flatMap((slice) => cut(slice, batchSize))
}

const cut = (whole: number, size: number): number[] =>
  Array.from({ length: Math.ceil(whole / size) }, (_, index) => Math.min(size, whole - index * size))

const markerOf = ({ parameters }: Pair): string => String(parameters.marker)
