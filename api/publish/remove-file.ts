import { z } from 'zod'
import { orgName, parsePartName, storedName } from '../../packet/names.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import { publishResponse } from '../../shared/publish/response.ts'
import { packetName } from '../../shared/storage/keys.ts'
import type { StoredFile } from '../../shared/storage/packets.ts'
import type { ApiContext } from '../context.ts'
import { orgInPath } from '../http/access.ts'
import { defineEndpoint, type Input } from '../http/endpoint.ts'

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
  async handle(context, { params: { orgName, fileName }, changed }) {
    const files = await context.packets.require(orgName, fileName)
    const others = files.filter(({ isPart }) => !isPart)
    if (others.length > 0) await removeOthers(context, changed, orgName, fileName, others)
    else if (parsePartName(fileName)) throw errors.partOfPacket(fileName)
    else await removePacket(context, changed, orgName, fileName)
    return { kind: 'publish', response: publishResponse({}) }
  },
})

type Changed = Input['changed']

async function removePacket({ generations, views }: ApiContext, changed: Changed, orgName: string, fileName: string) {
  const name = packetName(orgName, fileName)
  await views.markStale(name)
  const generation = await generations.remove(name)
  if (generation !== null) changed({ action: 'packet.remove', orgName, fileName, generation })
  await views.refresh(name)
}

async function removeOthers(
  { store, views }: ApiContext,
  changed: Changed,
  orgName: string,
  fileName: string,
  files: readonly StoredFile[],
): Promise<void> {
  for (const { key } of files) await store.remove(key)
  changed({ action: 'file.remove', orgName, fileName })
  // A packet may have been committed in the meantime, under this name or under the base name of this part.
  await views.refresh(packetName(orgName, parsePartName(fileName)?.base ?? fileName))
}
