import { expect, inject, test } from 'vitest'
import { run } from '../../dev/replay/neo4j.ts'
import { generationKey } from '../../shared/storage/keys.ts'
import type { Mentions } from '../../wire/mentions.ts'
import { prepare } from '../support/clients/e2e.ts'
import { openTestStorage } from '../support/storage/storage.ts'

const { client, driver, org, fields, label, ids } = await prepare(30)
const [first, second] = ids as [string, string]
const publish = async (changes: object) => {
  const { status, body } = await client.post('/1.0/publish/', { ...fields, orgName: org, ...changes })
  expect([status, body.error]).toEqual([200, null])
}
const mentions = async (ids: unknown, query = '') => {
  const { status, body } = await client.post<Mentions>(`/1.0/publish/${org}/mentions${query}`, { ids })
  return { status, body }
}

await publish({ fileName: 'whole', originIds: ids })
await publish({ fileName: 'base', originIds: ids, asBase: true })
await publish({ fileName: 'one', originIds: [first], relationships: null, asBase: true })

test('packets are found by the ids of nodes and of ends of relationships, and those without a state are unknown', async () => {
  const { body } = await mentions([first, second, 'nowhere'])
  expect(body).toEqual({
    packets: [
      { fileName: 'base', generation: 1, ids: [first, second] },
      { fileName: 'one', generation: 1, ids: [first] },
    ],
    unknown: [{ fileName: 'whole', reason: 'noState' }],
    next: null,
  })
})

test('integers are found by their text, and so are ids that only a cleanup names', async () => {
  await run(driver, `CREATE (:\`${label}\` {id: 7}), (:\`${label}\` {id: 'alone'})`)
  await publish({ fileName: 'others', originIds: ['7', 'alone', 'gone'], metadata: false, asBase: true })
  const { body } = await mentions(['7', 'gone', 'alone', '8'])
  expect(body.packets).toEqual([{ fileName: 'others', generation: 1, ids: ['7', 'gone', 'alone'] }])
})

test('what a state does not show is unknown, and the reason says why', async () => {
  const select = { originIds: null, select: [{ label }] }
  await publish({ fileName: 'start', ...select, asBase: true })
  await run(driver, `MATCH (n:\`${label}\` {id: $id}) DETACH DELETE n`, { id: first })
  await publish({ fileName: 'fewer', ...select, base: 'start', deleteMissing: true })
  await publish({ fileName: 'masked', ...select, asBase: true, mask: { [label]: { id: 'hash' } } })
  await publish({ fileName: 'lists', ...select, asBase: true, metadata: false, relationshipDeleteOnly: true })
  const { body } = await mentions([first])
  expect(body.packets.map(({ fileName }) => fileName)).toEqual(['base', 'one', 'start'])
  expect(body.unknown).toEqual([
    { fileName: 'fewer', reason: 'deletions' },
    { fileName: 'lists', reason: 'keepLists' },
    { fileName: 'masked', reason: 'masked' },
    { fileName: 'whole', reason: 'noState' },
  ])
})

test('a packet that cannot be read is unknown', async () => {
  const { store } = await openTestStorage(inject('service').env)
  const manifest = generationKey(`${org}/broken`, 1)
  await store.put(manifest, Buffer.from('{"format":2}'))
  const { body } = await mentions([second])
  await store.remove(manifest)
  expect(body.unknown[0]).toEqual({ fileName: 'broken', reason: 'damaged' })
})

test('pages together have every packet once', async () => {
  const pages: Mentions[] = []
  for (let after = ''; pages.length < 20; ) {
    const { body } = await mentions([first, second], `?limit=2${after && `&after=${after}`}`)
    pages.push(body)
    if (body.next === null) break
    after = body.next
  }
  const names = pages.flatMap(({ packets, unknown }) => [...packets, ...unknown].map(({ fileName }) => fileName))
  const { body: all } = await mentions([first, second])
  expect(pages.length).toBeGreaterThan(2)
  expect(names.sort()).toEqual([...all.packets, ...all.unknown].map(({ fileName }) => fileName).sort())
})

test.each([
  [[], 'ids: must not be empty'],
  [undefined, 'ids: required'],
  [[7], 'ids[0]: must be a string'],
  [Array.from({ length: 501 }, (_, index) => `${index}`), 'ids: must have at most 500 ids that differ'],
])('%j is refused', async (ids, message) => {
  const { status, body } = await mentions(ids)
  expect([status, (body as unknown as { error: string }).error]).toEqual([400, expect.stringContaining(message)])
})

test('an org that does not exist is 404, and a wrong position is 400', async () => {
  expect((await client.post(`/1.0/publish/${org}-x/mentions`, { ids: ['1'] })).status).toBe(404)
  expect((await mentions(['1'], '?after=x')).status).toBe(400)
})
