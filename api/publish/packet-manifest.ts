import { z } from 'zod'
import { orgName, packetFileName } from '../../packet/names.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import { manifestOf } from '../../shared/publish/manifest-view.ts'
import { type Generation, replacedBy } from '../../shared/storage/generations.ts'
import { packetName } from '../../shared/storage/keys.ts'
import { longestLinkSeconds } from '../../shared/storage/links.ts'
import type { Manifest } from '../../shared/storage/manifest.ts'
import type { Packets, StoredFile } from '../../shared/storage/packets.ts'
import { packetManifest as answer, type PacketManifest } from '../../wire/manifest.ts'
import { orgInPath } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { trueOrFalse, wholeNumber } from '../http/query.ts'

/** Contract 7.12. */
export const packetManifest = defineEndpoint({
  method: 'get',
  path: '/1.0/publish/:orgName/:fileName/manifest',
  summary:
    'Digests of a packet and its parts, its statements by kind, and what a target needs; with lifetime also links',
  scope: 'publish:read',
  access: orgInPath,
  params: z.object({ orgName, fileName: packetFileName }),
  query: z.strictObject({ lifetime: wholeNumber(1, longestLinkSeconds).optional(), replaced: trueOrFalse.optional() }),
  takes: ['If-None-Match'],
  answer,
  async handle({ generations, packets }, { params: { orgName, fileName }, query: { lifetime, replaced } }) {
    const name = packetName(orgName, fileName)
    const current = await generations.current(name)
    if (current === null) throw errors.noSuchPacket(orgName, fileName)
    const files = packets.filesOf(fileName, current.manifest)
    const urls = lifetime === undefined ? undefined : await linksOf(packets, files, current.manifest, lifetime)
    const value = manifestOf(orgName, fileName, current, urls)
    if (replaced) value.replaced = briefOf(orgName, fileName, await replacedBy(generations, name, current))
    // No ETag: the client asks for new links, or for another packet too, whether it knows this one or not.
    if (lifetime !== undefined || replaced) return { kind: 'json', value }
    // The tag is weak: another generation with the same bytes has the same tag, but not the same number and time.
    return { kind: 'json', value, headers: { ETag: `W/"${value.sha256}"` } }
  },
})

/** Links to the parts of a packet, and to the keys of its state. */
async function linksOf(
  packets: Packets,
  files: readonly StoredFile[],
  { state, expiresAt }: Manifest,
  lifetime: number,
) {
  const expiry = expiresAt === undefined ? {} : { expiresAt }
  const pieces = (state?.lines ?? []).map(({ key }, index) => ({ key, fileName: `keys-${index + 1}.zst`, ...expiry }))
  return { parts: await packets.sign(files, lifetime), state: await packets.sign(pieces, lifetime) }
}

function briefOf(orgName: string, fileName: string, found: Generation | null): PacketManifest['replaced'] {
  if (found === null) return null
  const { generation, jobId, createdAt, pairs, bytes, sha256, shape } = manifestOf(orgName, fileName, found)
  return { generation, jobId, createdAt, pairs, bytes, sha256, shape }
}
