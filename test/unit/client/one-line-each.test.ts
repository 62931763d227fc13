import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Writable } from 'node:stream'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Context, printLines, printResult } from '../../../client/context.ts'
import { startProgress } from '../../../client/progress.ts'
import type { VerifyReport } from '../../../client/replay/verify/verify.ts'
import { verifyLines } from '../../../client/target/verifying.ts'
import { emptyDirectory, type Ran, runCli } from '../../support/clients/cli.ts'
import { manifest } from '../../support/clients/fake-packet.ts'
import { type FakeAnswer, startFakeService } from '../../support/servers/fake-service.ts'
import { only } from '../../support/values/only.ts'

/** Would fake a line, clear the screen, move the cursor, break a line by Unicode, and reverse what follows. */
const hostile = 'name\nerror: all is lost\u001b[2J\r\t\u0085\u2028\u2029\u202e'
const shown = 'name\\u000aerror: all is lost\\u001b[2J\\u000d\\u0009\\u0085\\u2028\\u2029\\u202e'
const harmless = 'n'.repeat(hostile.length)

const reportOf = (name: string) => ({
  identities: [],
  missing: { originIds: { count: 1, first: [name] }, relationshipIds: { count: 1, first: [name] } },
  skipped: { nodes: 1, [name]: 2 },
  collapsed: 0,
  model: {
    version: name,
    violations: { count: 1, first: [{ label: name, id: name, problem: name }] },
    omitted: { [name]: 1 },
  },
})
const jobOf = (name: string, state = 'failed') => ({
  id: name,
  kind: 'multi',
  state,
  orgName: name,
  fileName: name,
  createdAt: name,
  startedAt: null,
  finishedAt: null,
  attempt: 1,
  report: reportOf(name),
  error: { code: 'internal', message: name },
  progress: { phase: name, subRequests: 1, subRequestsDone: 1, pairs: 1, parts: 1, bytes: 1 },
})
const dryRunOf = (name: string) => ({
  complete: false,
  limit: name,
  subRequests: 1,
  subRequestsRead: 1,
  pairs: 8,
  parts: 1,
  bytes: 2,
  projected: null,
  statements: { [name]: 8 },
  nodes: { origin: 5, targeted: 8, farEnds: 1 },
  relationships: { [name]: 271 },
  largestPair: { bytes: 40, about: name },
  unpublishable: {
    count: 2,
    first: [
      { what: 'node', label: name, type: null, id: name, element: name, reason: name },
      { what: 'relationship', label: null, type: name, id: name, element: null, reason: name },
    ],
  },
  ...reportOf(name),
  requires: { server: name, constraints: [{ label: name, property: name, cypher: { 5: name } }] },
  originIndexes: [],
  warnings: [name],
  wouldConflict: false,
  sample: [],
})
const manifestOf = (name: string) => ({
  ...manifest('http://store'),
  statements: { [name]: 1 },
  requires: { server: name, constraints: [{ label: name, property: name, cypher: { 5: name } }] },
  report: reportOf(name),
})
const problemOf = (name: string) => ({
  status: 400,
  title: name,
  detail: name,
  errors: [{ path: name, message: name }],
})
const origin = { dbUrl: 'bolt://origin', credentials: 'Basic bmVvNGo6cGFzcw==' }

/** Runs a command against a service with this answer. */
async function ask(words: string[], answer: FakeAnswer, input: unknown = ''): Promise<Ran> {
  const service = await startFakeService(() => answer)
  const ran = await runCli(words, service.variables, JSON.stringify(input))
  return { ...ran, stderr: ran.stderr.replaceAll(service.url, 'URL') }
}

/** Compares two part files in a directory of this name. */
async function diff(name: string): Promise<Ran> {
  const directory = join(emptyDirectory(), name)
  mkdirSync(directory)
  for (const id of ['a', 'b']) {
    const pair = { statement: 'MERGE (n:`P` {`id`: $id}) SET n = {`id`: $id}', parameters: { id }, metadata: null }
    writeFileSync(join(directory, id), JSON.stringify({ statements: [pair] }))
  }
  const { code, stdout, stderr } = await runCli(['diff', join(directory, 'a'), join(directory, 'b')])
  return { code, stdout: stdout.replaceAll(dirname(directory), 'DIRECTORY'), stderr }
}

const compared = (name: string) =>
  only<VerifyReport>({
    differing: 1,
    differences: only<VerifyReport['differences']>({ missingNode: 1 }),
    sample: 1,
    pairs: only<VerifyReport['pairs']>({ nodeUpsert: 1 }),
    seconds: 1,
    missingConstraints: [],
    first: [only<VerifyReport['first'][number]>({ part: 1, pair: 1, text: name })],
  })

/** What a comparison prints. */
async function verify(name: string): Promise<Ran> {
  let stdout = ''
  const out = new Writable({
    write(chunk, _, done) {
      stdout += chunk
      done()
    },
  })
  printResult(only<Context>({ stdout: out }), false, {}, verifyLines(name, compared(name)))
  return { code: 0, stdout, stderr: '' }
}

const commands: Record<string, (name: string) => Promise<Ran>> = {
  job: (name) => ask(['job', 'j1'], { status: 200, body: jobOf(name) }),
  'job, failed': (name) => ask(['job', 'j1', '--follow'], { status: 200, body: jobOf(name) }),
  jobs: (name) => ask(['jobs'], { status: 200, body: { jobs: [jobOf(name), jobOf(name)], next: null } }),
  ls: (name) => ask(['ls', 'org'], { status: 200, body: { fileNames: [name, name], expiresAt: [], next: null } }),
  model: (name) => {
    const properties = [{ key: name, unique: true }]
    return ask(['model', 'g'], { status: 200, body: { properties, nodeTypes: [{ key: name, properties }] } })
  },
  'publish --dry-run': (name) =>
    ask(['publish', '-', '--dry-run'], { status: 200, body: { dryRun: dryRunOf(name) } }, origin),
  'a refusal, with the rules': (name) => ask(['jobs'], { status: 400, body: problemOf(name) }),
  'a refusal in a publish response': (name) => ask(['ls', 'org'], { status: 404, body: { error: name } }),
  inspect: (name) => ask(['inspect', 'acme/people.json'], { status: 200, body: manifestOf(name) }),
  diff,
  verify,
}

describe.each(Object.entries(commands))('%s', (_, run) => {
  test('the command writes the same lines whatever is in a name', async () => {
    const { code, stdout, stderr } = await run(hostile)
    expect(stdout + stderr).toContain(shown)
    expect(stdout + stderr).not.toMatch(/[\p{Bidi_C}\p{Zl}\p{Zp}]|[^\P{Cc}\n]/u)
    const named = (text: string) => text.replaceAll(shown, harmless)
    expect({ code, stdout: named(stdout), stderr: named(stderr) }).toEqual(await run(harmless))
  })
})

test('progress is a line', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const written: string[] = []
  const to = new Writable({ write: (chunk, _, done) => done(void written.push(String(chunk))) })
  const progress = startProgress(to, 'plain')
  progress.update({ done: 1, total: 4, text: hostile })
  vi.advanceTimersByTime(5_000)
  progress.stop()
  expect(written).toEqual([`25% | ${shown}\n`])
})

test('an unforeseen error is its message on a line, and where it was thrown', async () => {
  // The message quotes the beginning of what the service sent.
  const ran = await ask(['publish', '-', '--dry-run'], { status: 200, body: Buffer.from(hostile) }, origin)
  const [message, ...places] = ran.stderr.trimEnd().split('\n')
  expect(message).toContain('"name\\u000aerror')
  expect(places.filter((line) => !line.startsWith('    at '))).toEqual([])
})

test('each line ends with a line feed, and nothing is written without a line', () => {
  const written: string[] = []
  const to = new Writable({ write: (chunk, _, done) => done(void written.push(String(chunk))) })
  printLines(to, ['a\nb', ''])
  printLines(to, [])
  expect(written.join('')).toBe('a\\u000ab\n\n')
})
