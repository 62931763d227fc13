import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { openTestStorage } from '../support/storage/storage.ts'

const { apiUrl, tokens, env } = inject('service')
const client = createClient(apiUrl, tokens.all as string)
const { store } = await openTestStorage(env)

test('an org below a file is created, or refused for good if the store keeps no name below another', async () => {
  const org = `org-${randomUUID()}`
  expect((await client.post(`/1.0/publish/${org}`)).status).toBe(200)
  await store.put(`${org}/file`, Buffer.from('{}'))
  const { status, body, headers } = await client.post(`/1.0/publish/${org}%2Ffile`)
  await store.prepare()
  if (store.keysBelowKeys() !== 'refused') return expect(status).toBe(200)
  const because = `this object store cannot keep anything below "${org}/file", because that is an object`
  expect([status, body.error, headers.get('Retry-After')]).toEqual([409, `409 Conflict: ${because}`, null])
  expect((await client.get(`/1.0/publish/${org}%2Ffile/none`)).status).toBe(404)
  // The org itself still works.
  expect((await client.get(`/1.0/publish/${org}`)).body.fileNames).toEqual(['file'])
})
