import { expect, test } from 'vitest'
import { runCli, spawnCli } from '../../support/clients/cli.ts'
import { type FakeRequest, startFakeService } from '../../support/servers/fake-service.ts'

const progress = { phase: 'reading', subRequests: 4, subRequestsDone: 1, pairs: 1_200, parts: 2, bytes: 3_100_000 }
const job = (state: string, more: object = {}) => ({
  id: 'j1',
  kind: 'multi',
  state,
  orgName: 'acme',
  fileName: 'p.json',
  createdAt: '2026-11-22T12:00:00.000Z',
  startedAt: null,
  finishedAt: null,
  attempt: 1,
  progress,
  report: null,
  error: null,
  ...more,
})
const report = {
  identities: [],
  missing: {
    originIds: { count: 12, first: Array.from({ length: 12 }, (_, at) => `id${at}`) },
    relationshipIds: { count: 0, first: [] },
  },
  skipped: { nodes: 3, relationships: 0, properties: 0, cleanups: 0 },
  collapsed: 1,
}

const noEvents = { status: 404, body: { title: 'Not Found', status: 404, detail: 'there is nothing at this path' } }

/** A service without events: answers these states of a job, one after the other, then the last one. */
const serviceWith = (states: object[]) =>
  startFakeService(({ url }) => {
    if (url.endsWith('/events')) return noEvents
    return { status: 200, body: states.length > 1 ? states.shift() : states[0] }
  })

test('a job is followed to its end, and the client prints what it left out', async () => {
  const service = await serviceWith([job('running'), job('succeeded', { report })])
  const { code, stdout } = await runCli(['job', 'j1', '--follow'], service.variables)
  expect(code).toBe(0)
  expect(stdout).toMatchInlineSnapshot(`
    "j1  succeeded  acme/p.json  2026-11-22T12:00:00.000Z  1,200 pairs, 2 parts, 3.1 MB
    missing: 12 origin ids: id0, id1, id2, id3, id4, id5, id6, id7, id8, id9, …
    skipped: 3 nodes
    collapsed: 1 parallel relationship
    "
  `)
  expect(service.requests.map(({ url }) => url)).toEqual([
    '/1.0/jobs/j1/events',
    '/1.0/jobs/j1?wait=2',
    '/1.0/jobs/j1?wait=2',
  ])
})

test('progress as JSON is on stderr, one object a line', async () => {
  const service = await serviceWith([job('running'), job('succeeded')])
  const { stdout, stderr } = await runCli(['job', 'j1', '--follow', '--json', '--progress', 'json'], service.variables)
  expect(JSON.parse(stdout)).toEqual(job('succeeded'))
  const last = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .at(-1)
  expect(last).toEqual({ done: 1, total: 4, text: 'reading: 1,200 pairs, 2 parts, 3.1 MB' })
})

test.each([
  [
    'failed',
    { error: { status: 422, code: 'unpublishable', message: '422 …: no id' } },
    'the job j1 failed: 422 …: no id',
  ],
  ['cancelled', {}, 'the job j1 was cancelled'],
])('a job that %s is exit code 7', async (state, more, message) => {
  const service = await serviceWith([job(state, more)])
  const { code, stdout, stderr } = await runCli(['job', 'j1', '--follow'], service.variables)
  expect({ code, stdout, stderr }).toEqual({ code: 7, stdout: '', stderr: `error: ${message}\n` })
})

test('a service that refuses to wait is polled', async () => {
  const states = [job('running'), job('succeeded')]
  const answer = ({ url }: FakeRequest) => {
    if (url.endsWith('/events')) return noEvents
    return url.includes('wait')
      ? { status: 400, body: { title: 'Bad Request', status: 400, detail: 'wait: unknown' } }
      : { status: 200, body: states.shift() }
  }
  const service = await startFakeService(answer)
  expect(await runCli(['job', 'j1', '--follow'], service.variables)).toMatchObject({ code: 0 })
  expect(service.requests.map(({ url }) => url)).toEqual([
    '/1.0/jobs/j1/events',
    '/1.0/jobs/j1?wait=2',
    '/1.0/jobs/j1',
    '/1.0/jobs/j1',
  ])
})

test('a service that is away for a moment loses nothing', async () => {
  const answers = [
    'hang up' as const,
    'hang up' as const,
    { status: 502, body: {} },
    { status: 200, body: job('succeeded') },
  ]
  const service = await startFakeService(() => answers.shift() ?? 'hang up')
  expect(await runCli(['job', 'j1', '--follow'], service.variables)).toMatchObject({ code: 0 })
})

test('a command that is interrupted while it follows a job says that the job continues', async () => {
  const service = await serviceWith([job('running')])
  const { code, stdout, stderr } = await spawnCli(['job', 'j1', '--follow'], service.variables, {
    async during(child) {
      while (service.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
      child.kill('SIGTERM')
    },
  })
  const hint = 'the job continues at the service; follow it with: packets job j1 --follow\n'
  expect({ code, stdout, stderr }).toEqual({ code: 130, stdout: '', stderr: `${hint}interrupted\n` })
})
