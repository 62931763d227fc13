import { expect, test } from 'vitest'
import { run } from '../../../dev/replay/neo4j.ts'
import { type Pair, parsePart } from '../../../packet/parts/parse-part.ts'
import { prepare } from '../../support/clients/e2e.ts'

const { client, driver, label, org, fields } = await prepare(1)
const request = { ...fields, relationships: undefined, orgName: org }
const mebibyte = 1024 * 1024

/** The pairs of a packet by the id of their node, from its downloaded parts. */
async function pairsOf(answer: { fileLocation: string | null; fileLocations: string[] | null }) {
  const urls = answer.fileLocations ?? [answer.fileLocation as string]
  const texts = await Promise.all(urls.map(async (url) => (await fetch(url)).text()))
  const pairs = texts.flatMap(parsePart)
  return {
    parts: texts.length,
    byId: new Map(pairs.map((pair) => [String(pair.parameters.id), pair] as [string, Pair])),
  }
}

test('values of ten megabytes are published unchanged, in parts that a client can hold', {
  timeout: 240_000,
}, async () => {
  const ids = ['large1', 'large2', 'large3', 'large4', 'large5']
  // Three bytes each in UTF-8; every tenth character is escaped in JSON.
  const text = '€€€€€€€€€"'.repeat((10 * mebibyte) / 28)
  for (const id of ids) await run(driver, `CREATE (:\`${label}\` {id: $id, text: $text})`, { id, text: id + text })
  const { status, headers, body } = await client.post('/1.0/publish/', {
    ...request,
    originIds: ids,
    fileName: 'large',
  })
  const job = status === 202 ? await client.followJob(headers.get('Location') as string, 180_000) : null
  expect([200, 202]).toContain(status)
  expect(job?.state ?? 'succeeded').toBe('succeeded')
  const answer = job ? (await client.get(`${headers.get('Location')}/result`)).body : body
  // Over the inline cap, so only the locations are returned.
  expect([answer.transactionRequest, answer.transactionRequests]).toEqual([null, null])
  const { parts, byId } = await pairsOf(answer)
  expect(parts).toBeGreaterThan(1)
  for (const id of ids) expect(byId.get(id)?.parameters.text === id + text).toBe(true)
})

test('a node with thousands of properties is one pair with all of them', { timeout: 240_000 }, async () => {
  const count = 5_000
  const properties = Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, index]))
  await run(driver, `CREATE (n:\`${label}\` {id: 'wide'}) SET n += $properties`, { properties })
  const { status, body } = await client.post('/1.0/publish/', { ...request, originIds: ['wide'], fileName: 'wide' })
  expect(status).toBe(200)
  const pair = (await pairsOf(body)).byId.get('wide')
  expect(Object.keys(pair?.parameters ?? {}).length).toBe(count + 1)
  expect(pair?.statement).toContain('`p4999`: {p4999}')
})
