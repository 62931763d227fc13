import { z } from 'zod'
import * as errors from '../../shared/errors/catalogue.ts'
import { publishResponse } from '../../shared/publish/response.ts'
import { packetName } from '../../shared/storage/keys.ts'
import { removal } from '../../shared/storage/manifest.ts'
import { orgName, parsePartName, storedName } from '../../shared/storage/names.ts'
import type { StoredFile } from '../../shared/storage/packets.ts'
import type { ApiContext } from '../context.ts'
import { orgInPath } from '../http/access.ts'
import { defineEndpoint } from '../http/endpoint.ts'

/** Contract 7.11: removes a packet by its name, or a file that another program stored. */
export const removeFile = defineEndpoint({
  method: 'delete',
  path: '/1.0/publish/:orgName/:fileName',
  summary: 'Remove a stored packet, or a file of others',
  scope: 'publish:write',
  access: orgInPath,
  params: z.object({ orgName, fileName: storedName }),
  query: z.strictObject({}),
  answer: 'publish',
  async handle(context, { params: { orgName, fileName } }) {
    const files = await context.packets.require(orgName, fileName)
    const others = files.filter(({ isPart }) => !isPart)
    if (others.length > 0) await removeOthers(context, orgName, fileName, others)
    else if (parsePartName(fileName)) throw errors.partOfPacket(fileName)
    else await removePacket(context, orgName, fileName)
    return { kind: 'publish', response: publishResponse({}) }
  },
})

async function removePacket({ generations, plainFiles }: ApiContext, orgName: string, fileName: string): Promise<void> {
  const name = packetName(orgName, fileName)
  await plainFiles.markStale(name)
  const taken = () => errors.fileExists(orgName, fileName)
  await generations.commit(name, removal(), { force: true, taken, above: Number.POSITIVE_INFINITY })
  await plainFiles.remove(name)
}

async function removeOthers(
  { store, plainFiles }: ApiContext,
  orgName: string,
  fileName: string,
  files: readonly StoredFile[],
): Promise<void> {
  for (const { key } of files) await store.remove(key)
  // Meanwhile a packet may have been committed under this name, or under the base name of this part.
  await plainFiles.refresh(packetName(orgName, parsePartName(fileName)?.base ?? fileName))
}
