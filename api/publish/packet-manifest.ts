import { z } from 'zod'
import { orgName, packetFileName } from '../../packet/names.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import { manifestOf } from '../../shared/publish/manifest-view.ts'
import { packetName } from '../../shared/storage/keys.ts'
import { longestLinkSeconds } from '../../shared/storage/links.ts'
import { packetManifest as answer } from '../../wire/manifest.ts'
import { orgInPath } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { wholeNumber } from '../http/query.ts'

/** Contract 7.12. */
export const packetManifest = defineEndpoint({
  method: 'get',
  path: '/1.0/publish/:orgName/:fileName/manifest',
  summary:
    'Digests of a packet and its parts, its statements by kind, and what a target needs; with lifetime also links',
  scope: 'publish:read',
  access: orgInPath,
  params: z.object({ orgName, fileName: packetFileName }),
  query: z.strictObject({ lifetime: wholeNumber(1, longestLinkSeconds).optional() }),
  takes: ['If-None-Match'],
  answer,
  async handle({ generations, packets }, { params: { orgName, fileName }, query: { lifetime } }) {
    const current = await generations.current(packetName(orgName, fileName))
    if (current === null) throw errors.noSuchPacket(orgName, fileName)
    if (lifetime !== undefined) {
      // No ETag: the client asks for new links, whether it knows the packet or not.
      const urls = await packets.sign(packets.filesOf(fileName, current.manifest), lifetime)
      return { kind: 'json', value: manifestOf(orgName, fileName, current, urls) }
    }
    const value = manifestOf(orgName, fileName, current)
    // The tag is weak: another generation with the same bytes has the same tag, but not the same number and time.
    return { kind: 'json', value, headers: { ETag: `W/"${value.sha256}"` } }
  },
})
