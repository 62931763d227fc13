import { z } from 'zod'
import * as errors from '../../shared/errors/catalogue.ts'
import { publishResponse } from '../../shared/publish/response.ts'
import { removal } from '../../shared/storage/generations.ts'
import { packetName } from '../../shared/storage/keys.ts'
import { orgName, parsePartName, storedName } from '../../shared/storage/names.ts'
import { orgInPath } from '../access.ts'
import { defineEndpoint } from '../endpoint.ts'

/** Contract 7.11: a packet by its name, or a file that others put there. */
export const removeFile = defineEndpoint({
  method: 'delete',
  path: '/1.0/publish/:orgName/:fileName',
  summary: 'Remove a stored packet, or a file of others',
  scope: 'publish:write',
  access: orgInPath,
  params: z.object({ orgName, fileName: storedName }),
  query: z.strictObject({}),
  answer: 'publish',
  async handle({ store, generations, packets, views }, { params }) {
    const name = packetName(params.orgName, params.fileName)
    if (await generations.current(name)) {
      await views.mark(name)
      const taken = () => errors.fileExists(params.orgName, params.fileName)
      await generations.commit(name, removal(), { force: true, taken })
      await views.remove(name)
    } else {
      const files = await packets.require(params.orgName, params.fileName)
      if (files.some(({ isPart }) => isPart)) throw errors.partOfPacket(params.fileName)
      for (const { key } of files) await store.remove(key)
      // A packet may have taken the name meanwhile, or that of which this one is a part.
      await views.refresh(packetName(params.orgName, parsePartName(params.fileName)?.base ?? params.fileName))
    }
    return { kind: 'publish', response: publishResponse({}) }
  },
})
