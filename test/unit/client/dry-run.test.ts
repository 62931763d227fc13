import { expect, test } from 'vitest'
import { runCli } from '../../support/clients/cli.ts'
import { startFakeService } from '../../support/servers/fake-service.ts'

const origin = { dbUrl: 'bolt://origin', credentials: 'Basic bmVvNGo6cGFzcw==' }
const request = { ...origin, mappedIndices: { DEFAULT_INDEX: 'P', DEFAULT_ID_FIELD: 'id' }, originIds: ['a'] }
const none = { count: 0, first: [] }
const dryRun = {
  complete: true,
  limit: null,
  subRequests: 1,
  subRequestsRead: 1,
  pairs: 842,
  parts: 1,
  bytes: 201_233,
  projected: null,
  statements: { nodeUpsert: 842, cleanup: 0 },
  nodes: { origin: 500, targeted: 842, farEnds: 1_900 },
  relationships: { KNOWS: 271 },
  largestPair: { bytes: 40_211, about: 'the node 1 with the labels "P"' },
  unpublishable: none,
  missing: { originIds: { count: 1, first: ['x'] }, relationshipIds: none },
  skipped: {},
  collapsed: 0,
  requires: {
    server: '3.5',
    constraints: [{ label: 'P', property: 'id', cypher: { 5: 'CREATE …', 3.5: 'CREATE … 3.5' } }],
  },
  originIndexes: [],
  warnings: ['no index'],
  wouldConflict: true,
  sample: [],
}

async function publish(words: string[], answer: object) {
  const service = await startFakeService(() => ({ status: 200, body: { dryRun: answer } }))
  const ran = await runCli(['publish', '-', '--dry-run', ...words], service.variables, JSON.stringify(request))
  return { ...ran, requests: service.requests }
}

test('publish --dry-run prints a table, and asks once', async () => {
  const { code, stdout, requests } = await publish(['--force'], dryRun)
  expect(code).toBe(0)
  expect(requests.map(({ url }) => url)).toEqual(['/1.0/publish/multi?dryRun=true&forceOverwrite=true'])
  expect(requests[0]?.headers).not.toHaveProperty('idempotency-key')
  expect(stdout).toBe(`would make 842 pairs, 1 part, 201 kB
  nodeUpsert                   842
  nodes to start from          500
  targeted nodes               842
  other ends of relationships  1,900
  relationships KNOWS          271
  largest pair                 40.2 kB, the node 1 with the labels "P"
missing: 1 origin id: x
A target needs Neo4j 3.5 or later and these constraints:
  Neo4j 4.4 and later:
    CREATE …;
  Neo4j before 4.4:
    CREATE … 3.5;
warning: no index
The name is taken, or another publish is writing it.
`)
})

test('publish --dry-run with unpublishable elements is exit code 3', async () => {
  const first = [
    { what: 'node', label: 'P', type: null, id: 'a', element: 'the node 1', reason: 'has a byte array' },
    { what: 'node', label: 'P', type: null, id: 'b', element: null, reason: 'more than one node' },
    { what: 'relationship', label: null, type: 'T', id: null, element: 'the relationship 2', reason: 'has no "grn"' },
  ]
  const { code, stdout } = await publish([], { ...dryRun, unpublishable: { count: 103, first } })
  expect(code).toBe(3)
  expect(stdout).toContain(`unpublishable: 103, of which the first
  :P(a): the node 1 has a byte array
  :P(b): more than one node
  [:T]: the relationship 2 has no "grn"
`)
})

test('an incomplete dry run says what ended it, and what the whole packet would be', async () => {
  const projected = { pairs: 84_200, parts: 17, bytes: 20_123_300, by: 'sub-requests' }
  const cut = { complete: false, limit: 'time', subRequests: 1_000, subRequestsRead: 10, projected }
  const { code, stdout } = await publish([], { ...dryRun, ...cut })
  expect(code).toBe(0)
  expect(stdout).toContain(`would make 842 pairs, 1 part, 201 kB
incomplete, by its limit of time: these are of what was read, 10 of 1,000 sub-requests whole
in all about 84,200 pairs, 17 parts, 20.1 MB, if the others are alike
`)
})

test('publish --dry-run --json prints the answer as it is', async () => {
  const { stdout } = await publish(['--json'], dryRun)
  expect(stdout).toBe(`${JSON.stringify({ dryRun })}\n`)
})

test.each([
  [['--no-wait'], '--no-wait: --dry-run makes no job'],
  [['--progress', 'plain'], '--progress cannot be combined with --dry-run'],
])('publish --dry-run with %j is refused', async (words, message) => {
  const { code, stderr, requests } = await publish(words, dryRun)
  expect({ code, requests }).toEqual({ code: 2, requests: [] })
  expect(stderr).toContain(`error: ${message}`)
})
