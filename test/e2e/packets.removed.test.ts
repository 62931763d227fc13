import { expect, inject, test } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { uniqueName } from '../../dev/requests.ts'
import { prepare } from '../support/clients/e2e.ts'
import { openTestStorage } from '../support/storage/storage.ts'

const { apiUrl, tokens, env } = inject('service')
const { client, org, ids, fields } = await prepare(30)
const { store } = await openTestStorage(env)

const removed = {
  transactionRequest: null,
  transactionRequests: null,
  fileLocation: null,
  fileLocations: null,
  fileNames: null,
  error: null,
  usePrefixes: null,
}
const path = (file: string) => `/1.0/publish/${org}/${encodeURIComponent(file)}`
const remove = (file: string) => client.call('DELETE', path(file))
const publish = async (fileName: string, query = '') => {
  const body = [{ ...fields, originIds: ids, relationships: [], orgName: org, fileName }]
  return client.post(`/1.0/publish/multi${query}`, body)
}
const put = (file: string, content: string) => store.put(`${org}/${file}`, Buffer.from(content))
const names = async (file: string) => (await client.get(`/1.0/publish/${org}?filter=${file}`)).body.fileNames

async function plainFiles(file: string): Promise<string[]> {
  const found: string[] = []
  for await (const { key } of store.list(`${org}/${file}`)) found.push(key.slice(org.length + 1))
  return found
}

test.each([
  ['of one part', 'one', ''],
  ['of several parts', 'several', '?batchsize=7'],
  ['in a directory', 'deep/down/one', ''],
])('a packet %s is gone after its removal, and its name is free', async (_what, file, query) => {
  const published = await publish(file, query)
  const urls = published.body.fileLocations ?? [published.body.fileLocation as string]
  const parts = await names(file)
  expect(await plainFiles(file)).toEqual(parts)
  const answer = await remove(file)
  expect([answer.status, answer.body]).toEqual([200, removed])
  expect(Object.keys(answer.body)).toEqual(Object.keys(removed))

  const asked = [...new Set([file, ...(parts ?? [])])].flatMap((name) => [path(name), `${path(name)}/url`])
  expect((await Promise.all(asked.map((each) => client.get(each)))).map(({ status }) => status)).toEqual(
    asked.map(() => 404),
  )
  expect((await remove(file)).status).toBe(404)
  expect(await names(file)).toEqual([])
  const byPrefix = await client.post(`/1.0/publish/${org}/files`, { usePrefixes: true, fileNames: [file] })
  expect(byPrefix.body.fileNames).toEqual([])
  expect(await plainFiles(file)).toEqual([])
  // URLs signed before the removal stay valid for their lifetime.
  expect((await Promise.all(urls.map((url) => fetch(url)))).map(({ status }) => status)).toEqual(urls.map(() => 200))
  const result = await client.get(`${published.headers.get('Location')}/result`)
  expect(result.status).toBe(200)

  const again = await publish(file)
  expect([again.status, await names(file), await plainFiles(file)]).toEqual([200, [file], [file]])
  expect((await client.get(path(file))).body.transactionRequest).toEqual(again.body.transactionRequest)
})

test('a part cannot be removed by its own name', async () => {
  await publish('parts', '?batchsize=10')
  const { status, body } = await remove('partsPart2of3')
  expect([status, body.error]).toEqual([
    400,
    '400 Bad Request: fileName: "partsPart2of3" is a part; remove its packet by the packet\'s name',
  ])
  expect((await remove('partsPart2of4')).status).toBe(404)
  expect(await names('parts')).toEqual(['partsPart1of3', 'partsPart2of3', 'partsPart3of3'])
})

test('a foreign file is removed by its name, even one that looks like a part', async () => {
  for (const file of ['foreign.json', 'foreignPart1of2', 'dir/foreign']) {
    await put(file, '{}')
    const answer = await remove(file)
    expect([answer.status, answer.body]).toEqual([200, removed])
    expect([(await client.get(path(file))).status, (await remove(file)).status]).toEqual([404, 404])
  }
  expect(await names('foreign')).toEqual([])
})

test.each(['a foreign file', 'a leftover copy'])(
  '%s under a removed name is invisible, and does not take the name',
  async (what) => {
    await publish('left')
    const copy = (await store.get(`${org}/left`)) as Buffer
    await remove('left')
    await store.put(`${org}/left`, what === 'a leftover copy' ? copy : Buffer.from('{"statements":[]}'))
    expect([await names('left'), (await client.get(path('left'))).status]).toEqual([[], 404])
    expect((await remove('left')).status).toBe(404)
    expect((await publish('left')).status).toBe(200)
    expect((await client.get(path('left'))).body.transactionRequest?.statements.length).toBe(ids.length)
    expect((await store.get(`${org}/left`))?.equals(copy)).toBe(true)
    await remove('left')
  },
)

test('a missing file or one of another org is 404; a token needs the scope', async () => {
  await publish('kept')
  const [acme, reader] = [createClient(apiUrl, tokens.acme as string), createClient(apiUrl, tokens.reader as string)]
  const answers = await Promise.all([
    remove('never'),
    client.call('DELETE', `/1.0/publish/${uniqueName('org')}/kept`),
    acme.call('DELETE', path('kept')),
    reader.call('DELETE', path('kept')),
    client.call('DELETE', `${path('kept')}?force=true`),
    client.call('DELETE', path('.hidden')),
  ])
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 403, 400, 400])
  expect(await names('kept')).toEqual(['kept'])
})

test('after concurrent removals and forced publishes of one name, readers and plain files agree', async () => {
  const file = 'raced'
  await publish(file)
  const sizes = [30, 7, 13, 30, 9, 4, 30, 11, 8, 30]
  const work = sizes.flatMap((size, index) => {
    const publishing = publish(file, `?forceOverwrite=true&batchsize=${size}`)
    return index % 2 === 0 ? [publishing, remove(file)] : [publishing]
  })
  const answers = await Promise.all(work)
  expect(answers.filter(({ status }) => status !== 200 && status !== 404)).toEqual([])
  const parts = await names(file)
  expect(await plainFiles(file)).toEqual(parts)
  for (const part of parts ?? []) {
    const { body } = await client.get(`${path(part)}/url`)
    const text = await (await fetch(body.fileLocation as string)).text()
    expect(String(await store.get(`${org}/${part}`))).toBe(text)
  }
})
