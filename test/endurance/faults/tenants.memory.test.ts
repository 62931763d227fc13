import { expect, test } from 'vitest'
import { fakeBolt, type Reply } from '../../support/origins/fake-bolt.ts'
import { openTenants } from '../../support/worlds/tenants.ts'

/** V8 takes two bytes for each character of this text, of which all but one take a single byte on the wire. */
const text = `日${'x'.repeat(1_000)}`
const end: Reply = { success: { has_more: false } }
function* endlessRows(): Generator<Reply> {
  for (;;) yield { record: [[text, text, text, text]] }
}

/** Sends rows without end to the query for the keys of nodes. */
const hostile = await fakeBolt((query) => {
  return query.includes('IN $values') ? endlessRows() : [end]
})
const origins = [`127.0.0.1:${hostile.port}`]
const request = {
  dbUrl: `bolt://127.0.0.1:${hostile.port}`,
  credentials: `Basic ${btoa('user:password')}`,
  mappedIndices: { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id' },
  originIds: ['1'],
  relationships: ['KNOWS'],
}

test('origins that send rows without end take neither an API nor a worker from another org', {
  timeout: 120_000,
}, async () => {
  // The workers' own flag for the heap counts; the one of the API is that of a container of half a gibibyte.
  const env = { NODE_OPTIONS: '--max-old-space-size=512' }
  const { attacker, attackerOrg, service, unharmedBy } = await openTenants({ origins, env })
  const statuses: number[] = []
  await unharmedBy(
    async () => {
      const returned = Array.from({ length: 6 }, () =>
        attacker.post('/1.0/publish/', { ...request, returnOnly: true }, { Prefer: 'wait=5' }),
      )
      const stored = Array.from({ length: 4 }, (_, at) =>
        attacker.post('/1.0/publish/', { ...request, orgName: attackerOrg, fileName: `hostile${at}` }),
      )
      for (const { status } of await Promise.all([...returned, ...stored])) statuses.push(status)
    },
    { mostMs: 15_000 },
  )
  expect(hostile.queries.filter((query) => query.includes('IN $values')).length).toBeGreaterThanOrEqual(8)
  expect(statuses.filter((status) => ![202, 502, 503, 504].includes(status))).toEqual([])
  expect([service.api, ...service.workers].map((program) => program.hasExited())).toEqual([false, false, false])
})
