import { expect, inject, test } from 'vitest'
import { generationKey } from '../../shared/storage/keys.ts'
import { prepare } from '../support/clients/e2e.ts'
import { openTestStorage } from '../support/storage/storage.ts'

const { client, org, ids, fields } = await prepare(3)
const { store } = await openTestStorage(inject('service').env)

const publish = (fileName: string, query = '') =>
  client.post(`/1.0/publish/multi${query}`, [{ ...fields, originIds: ids, orgName: org, fileName }])
const statusOf = async (path: string) => (await client.get(`/1.0/publish/${org}${path}`)).status

test('a packet whose manifest cannot be read is listed beside the others, cannot be read or removed, and can be replaced', async () => {
  expect((await publish('whole')).status).toBe(200)
  const manifest = generationKey(`${org}/broken`, 1)
  await store.put(manifest, Buffer.from('{"format":2}'))
  try {
    const listed = await client.get(`/1.0/publish/${org}`)
    expect([listed.status, listed.body.fileNames]).toEqual([200, ['broken', 'whole']])
    const found = await client.post(`/1.0/publish/${org}/files`, { fileNames: ['b'], usePrefixes: true })
    expect([found.status, found.body.fileNames]).toEqual([200, ['broken']])
    const paths = ['/whole', '/broken', '/broken/url', '/broken/manifest']
    expect(await Promise.all(paths.map(statusOf))).toEqual([200, 500, 500, 500])

    expect((await client.call('DELETE', `/1.0/publish/${org}/broken`)).status).toBe(500)
    expect((await publish('broken')).status).toBe(500)
    expect((await publish('broken', '?forceOverwrite=true')).status).toBe(200)
    expect(await Promise.all(paths.map(statusOf))).toEqual([200, 200, 200, 200])
  } finally {
    await store.remove(manifest)
  }
})
