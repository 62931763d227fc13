import { expect, inject, test } from 'vitest'
import { prepare } from '../support/clients/e2e.ts'

const { client, org, ids, fields } = await prepare(2)
const publish = (fileName: string) =>
  client.post('/1.0/publish/', { ...fields, originIds: ids, orgName: org, fileName }).then(({ body }) => body)
const [one, other] = [await publish('one'), await publish('other')]
const [url, otherUrl] = [new URL(one.fileLocation as string), new URL(other.fileLocation as string)]
const content = await (await fetch(url)).text()
const bucket = `/${inject('service').bucket}/`

function changed(change: (url: URL) => void): URL {
  const copy = new URL(url)
  change(copy)
  return copy
}

const setting = (name: string, value: string) => changed(({ searchParams }) => searchParams.set(name, value))

test('a presigned URL allows repeated GETs of its object', async () => {
  expect(JSON.parse(content).statements.length).toBeGreaterThan(0)
  expect(await (await fetch(url)).text()).toBe(content)
  expect(url.searchParams.get('X-Amz-Expires')).toBe('86400')
})

test.each<[string, () => URL, string?]>([
  ["another packet's object", () => changed((copy) => Object.assign(copy, { pathname: otherUrl.pathname }))],
  ['the plain file of its packet', () => changed((copy) => Object.assign(copy, { pathname: `${bucket}${org}/one` }))],
  ["the org's marker", () => changed((copy) => Object.assign(copy, { pathname: `${bucket}${org}/.org` }))],
  ['the bucket', () => changed((copy) => Object.assign(copy, { pathname: bucket }))],
  ['a key below its own', () => changed((copy) => Object.assign(copy, { pathname: `${copy.pathname}/x` }))],
  ['a longer time', () => setting('X-Amz-Expires', '604800')],
  ['a later date', () => setting('X-Amz-Date', '20990101T000000Z')],
  ['another file name', () => setting('response-content-disposition', 'attachment; filename="evil.html"')],
  ['no file name', () => changed(({ searchParams }) => searchParams.delete('response-content-disposition'))],
  ['another content type', () => setting('response-content-type', 'text/html')],
  ["another signature's", () => setting('X-Amz-Signature', otherUrl.searchParams.get('X-Amz-Signature') as string)],
  ['no signature', () => changed(({ searchParams }) => searchParams.delete('X-Amz-Signature'))],
  ['nothing of it', () => changed((copy) => Object.assign(copy, { search: '' }))],
  ['an upload', () => url, 'PUT'],
  ['a removal', () => url, 'DELETE'],
  ['a form', () => url, 'POST'],
])('a presigned URL does not allow %s', async (_what, address, method = 'GET') => {
  const body = method === 'PUT' || method === 'POST' ? '{"statements":[]}' : null
  const response = await fetch(address(), { method, body })
  const text = await response.text()
  expect([response.ok, text.includes('MERGE'), text.includes('<Key>')]).toEqual([false, false, false])
  expect(await (await fetch(url)).text()).toBe(content)
})

test('a presigned URL expires after its lifetime', async () => {
  const { body } = await client.get(`/1.0/publish/${org}/one/url?lifetime=1`)
  const short = body.fileLocation as string
  expect(new URL(short).searchParams.get('X-Amz-Expires')).toBe('1')
  await expect.poll(async () => (await fetch(short)).status, { timeout: 30_000 }).toBe(403)
})
