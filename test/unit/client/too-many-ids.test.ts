import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { maxKeys, shapeOf } from '../../../api/http/body/json-shape.ts'
import { createMulti } from '../../../api/publish/create-multi.ts'
import { requestLimits } from '../../../client/request/packet-limits.ts'
import { maxSubRequests } from '../../../shared/request/multi.ts'
import { maxIds } from '../../../shared/request/rules.ts'
import { emptyDirectory, runCli } from '../../support/clients/cli.ts'
import { startFakeService } from '../../support/servers/fake-service.ts'

const request = {
  mappedIndices: { DEFAULT_INDEX: 'Straße', DEFAULT_ID_FIELD: 'id' },
  orgName: 'acme',
  fileName: 'many.json',
  dbUrl: 'bolt://origin',
  credentials: `Basic ${btoa('neo4j:password')}`,
}
const limitBytes = createMulti.body?.limitBytes ?? 0

async function publish(input: object, ids: readonly string[], words: string[] = ['--no-wait']) {
  const file = join(emptyDirectory(), 'ids')
  writeFileSync(file, ids.join('\n'))
  const service = await startFakeService(() => ({ status: 202, headers: { Location: '/1.0/jobs/j1' }, body: {} }))
  const given = ids.length === 0 ? [] : ['--ids', file]
  const ran = await runCli(['publish', '-', ...words, ...given], service.variables, JSON.stringify(input))
  return { ...ran, sent: service.requests.map(({ body }) => Buffer.from(JSON.stringify(body))) }
}

/** The number that the client says fits. */
const fittingOf = (stderr: string) =>
  Number(/^error: --ids: the first ([\d,]+) of /.exec(stderr)?.[1]?.replaceAll(',', '') ?? Number.NaN)

const longId = 'ö"'.repeat(1_000)
const idOf = (index: number, limit = 'bytes') => (limit === 'bytes' ? `${index} ${longId}` : `${index}`)

test('the client knows the limits of the service', () => {
  expect(requestLimits).toEqual({ ids: maxIds, subRequests: maxSubRequests, bytes: limitBytes, keys: maxKeys })
})

test.each([
  ['bytes', request, 9_000],
  [
    'keys',
    { ...request, mappedIndices: Object.fromEntries(Array.from({ length: 9_900 }, (_, n) => [`L${n}`, 'i'])) },
    55_000,
  ],
])('the client says before it sends anything how many ids fit, by the limit of %s', async (limit, given, count) => {
  const ids = Array.from({ length: count }, (_, index) => idOf(index, limit))
  const { code, stderr, sent } = await publish(given, ids)
  expect({ code, sent }).toEqual({ code: 2, sent: [] })
  expect(stderr).toContain('fit into one packet; publish the others as further packets, each under a name of its own')
  const fitting = fittingOf(stderr)
  const last = await publish(given, ids.slice(0, fitting))
  expect({ code: last.code, stdout: last.stdout }).toEqual({ code: 0, stdout: 'j1\n' })
  const [body] = last.sent as [Buffer]
  expect(body.length).toBeLessThanOrEqual(limitBytes)
  expect(shapeOf(body).problem).toBe(null)
  // One more would not fit.
  if (limit === 'bytes') expect(body.length).toBeGreaterThan(limitBytes - 2 * idOf(count).length)
  else expect(shapeOf(Buffer.from(`[${body},${JSON.stringify([given])}]`)).problem).not.toBe(null)
  expect(await publish(given, ids.slice(0, fitting + 1))).toMatchObject({ code: 2, sent: [] })
})

test('a dry run of too many ids is refused too', async () => {
  const ids = Array.from({ length: 9_000 }, (_, index) => idOf(index))
  const { code, sent } = await publish(request, ids, ['--dry-run'])
  expect({ code, sent }).toEqual({ code: 2, sent: [] })
})

test('a list of too many sub-requests is refused before it is sent', async () => {
  const { code, stderr, sent } = await publish(Array(10_001).fill(request), [])
  expect({ code, sent }).toEqual({ code: 2, sent: [] })
  expect(stderr).toContain('error: the first 10,000 of 10,001 sub-requests fit into one packet; publish the others')
})
