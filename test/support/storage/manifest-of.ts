import { hash } from 'node:crypto'
import type { Client } from '../../../dev/client.ts'
import { listIn } from '../../../packet/kinds/kinds.ts'
import { createShapeTally, type PacketShape } from '../../../packet/packet-shape.ts'
import { type Recognised, recognise } from '../../../packet/recognise.ts'
import type { PacketManifest } from '../../../wire/manifest.ts'

export const sha256Of = (bytes: string | Buffer): string => hash('sha256', bytes)

/** The path of a packet's manifest. */
export const manifestPath = (org: string, fileName: string, query = ''): string =>
  `/1.0/publish/${encodeURIComponent(org)}/${encodeURIComponent(fileName)}/manifest${query}`

/** A packet's manifest with links, and its parts as downloaded from these. @throws Error on any status but 200. */
export async function downloaded(client: Client, org: string, fileName: string) {
  const answer = await client.get<PacketManifest>(manifestPath(org, fileName, '?lifetime=600'))
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`)
  const manifest = answer.body
  const parts = await Promise.all(
    manifest.parts.map(async ({ url }) => Buffer.from(await (await fetch(url as string)).arrayBuffer())),
  )
  return { manifest, parts }
}

/** The shape of a packet by its pairs. */
export function shapeOf(pairs: readonly { statement: string; parameters: Record<string, unknown> }[]): PacketShape {
  const tally = createShapeTally()
  for (const { statement, parameters } of pairs) {
    const recognised = recognise(statement) as Recognised
    tally.add(recognised.topic, listIn(recognised, parameters)?.length ?? 1)
  }
  return tally.read()
}
