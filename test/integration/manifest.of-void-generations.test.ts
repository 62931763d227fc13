import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { uniqueName } from '../../dev/requests.ts'
import { createReport } from '../../shared/publish/report/report.ts'
import { voided } from '../../shared/storage/manifest.ts'
import type { PacketManifest } from '../../wire/manifest.ts'
import { manifestPath } from '../support/storage/manifest-of.ts'
import { openTestStorage } from '../support/storage/storage.ts'
import { stagePacket } from '../support/storage/stored-packets.ts'

const { apiUrl, tokens, env } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const { store, generations } = await openTestStorage(env)
const org = uniqueName('org')
await client.post(`/1.0/publish/${org}`)

const ask = (fileName: string) => client.get<PacketManifest>(manifestPath(org, fileName))

test('a void generation is skipped: the packet below it is described, and without one the answer is 404', async () => {
  const taken = () => new Error('taken')
  const staged = await stagePacket({ store }, `${org}/kept`, ['{"statements":[]}'])
  const content = { parameterSyntax: 'braces', numbers: 'plain', report: createReport().read() }
  await generations.commit(`${org}/kept`, { ...staged, content }, { force: false, taken })
  for (const fileName of ['kept', 'free']) {
    await generations.commit(`${org}/${fileName}`, voided(randomUUID()), { force: true, taken })
  }
  expect((await ask('kept')).body).toMatchObject({ generation: 1, jobId: staged.jobId })
  expect((await ask('free')).status).toBe(404)
})
