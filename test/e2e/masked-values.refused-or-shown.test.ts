import { expect, test } from 'vitest'
import { dryRunLines } from '../../client/request/dry-run-lines.ts'
import { run } from '../../dev/replay/neo4j.ts'
import type { DryRun } from '../../wire/dry-run.ts'
import { prepare } from '../support/clients/e2e.ts'
import { ownService } from '../support/programs/own-service.ts'

const { client, driver, org, fields, label } = await prepare(4)
const body = (changes: object) => ({ ...fields, originIds: ['p1', 'p2', 'p3'], orgName: org, ...changes })
const maskOf = (rules: object) => ({ mask: { [label]: rules } })
await run(driver, `CREATE CONSTRAINT FOR (n:\`${label}\`) REQUIRE n.mail IS UNIQUE`)
await run(driver, `MATCH (n:\`${label}\`) SET n.mail = n.id + '@example.org', n.about = 'of some length'`)

test.each([
  [maskOf({ mail: 'drop' }), 400, 'makes "mail" of'],
  [maskOf({ nothing9x: 'hash' }), 422, 'the origin has no property "nothing9x"'],
  [{ mask: { Nobody9: { about: 'hash' } } }, 422, 'mask.Nobody9'],
  [{ only: { Nobody9: ['about'] } }, 422, 'only.Nobody9'],
])('%j is refused by what the origin has, and nothing is stored', async (changes, status, message) => {
  const refused = await client.post('/1.0/publish/', body({ fileName: 'refused', ...changes }))
  expect([refused.status, refused.body.error]).toEqual([status, expect.stringContaining(message)])
  expect((await client.get(`/1.0/publish/${org}/refused/manifest`)).status).toBe(404)
})

test('a dry run counts the masked values, and shows three nodes by types and lengths alone', async () => {
  const mask = { id: 'hash', about: 'drop', rank: 'null' }
  const { body: answer } = await client.post<{ dryRun: DryRun }>('/1.0/publish/?dryRun=true', body(maskOf(mask)))
  const { masking, sample } = answer.dryRun
  expect(masking).toMatchObject({ key: 'local', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
  const counts = masking?.counts.map(({ name, property, action, values }) => [name, property, action, values])
  expect(counts?.sort()).toEqual([
    [label, 'about', 'drop', 3],
    [label, 'id', 'hash', 3],
    [label, 'rank', 'null', 3],
  ])
  expect(masking?.sample).toHaveLength(3)
  const [first] = masking?.sample ?? []
  const shown = first?.properties.map(({ property, action, after }) => [property, action, after === null]).sort()
  expect(shown).toEqual([
    ['about', 'drop', true],
    ['id', 'hash', false],
    ['rank', 'null', true],
  ])
  const lines = dryRunLines(answer.dryRun)
  expect(lines).toContain(`masks 3 values of ${label}.about by drop`)
  expect(lines).toContain('    about: String, 10 to 99 characters -> left out')
  expect(lines.filter((line) => /^ {4}id: String, 1 to 9 characters -> [0-9a-f]{64}$/.test(line))).toHaveLength(3)
  expect(JSON.stringify([lines, masking, sample])).not.toMatch(/"p[123]"|of some length/)
})

test('an id is published although no list names it, and of the others only what a list names', async () => {
  const only = { [label]: ['about'] }
  const { body: answer } = await client.post<{ dryRun: DryRun }>('/1.0/publish/?dryRun=true', body({ only }))
  const upserts = answer.dryRun.sample.filter(({ statement }) => statement.includes(label))
  const published = upserts.map(({ parameters }) => parameters)
  expect(published).toContainEqual(expect.objectContaining({ id: 'p1', about: 'of some length' }))
  expect(JSON.stringify(upserts)).not.toContain('example.org')
})

test('without keys of masks a hash is refused, and what needs none is not', async () => {
  const without = await ownService({ env: { MASK_KEYS: '' } })
  await without.client.post(`/1.0/publish/${org}`)
  const sent = (rules: object) =>
    without.client.post('/1.0/publish/', body({ fileName: 'x', ...maskOf(rules) }), { Prefer: 'respond-async' })
  const refused = await sent({ about: 'hash' })
  expect([refused.status, refused.body.error]).toEqual([422, expect.stringContaining('set MASK_KEYS')])
  expect((await sent({ about: 'drop' })).status).toBe(202)
})
