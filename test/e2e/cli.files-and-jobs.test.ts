import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { uniqueName } from '../../dev/requests.ts'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { emptyDirectory, runCli } from '../support/clients/cli.ts'
import { prepare } from '../support/clients/e2e.ts'

const { apiUrl, tokens } = inject('service')
const { client, org, fields } = await prepare(4)
const env = { PACKETS_URL: apiUrl, PACKETS_TOKEN: tokens.all as string }
const packets = (...words: string[]) => runCli(words, env)

async function publish(fileName: string, more: object = {}): Promise<JobRecord> {
  const request = { ...fields, originIds: ['p1', 'p2'], orgName: org, fileName, ...more }
  const { headers } = await client.post('/1.0/publish/', request, { Prefer: 'respond-async' })
  return client.followJob(headers.get('Location') as string)
}

const jobs: JobRecord[] = []
for (const name of ['a.json', 'b.json', 'bb.json']) jobs.unshift(await publish(name))
const failed = await publish('failed.json', {
  originIds: ['absent'],
  index: undefined,
  mappedIndices: { DEFAULT_INDEX: uniqueName('None'), DEFAULT_ID_FIELD: 'id' },
})

test('create makes an org, and leaves one that exists', async () => {
  const name = uniqueName('org')
  for (const _ of ['new', 'known']) {
    expect(await packets('create', name)).toEqual({ code: 0, stdout: `${name} is ready for packets\n`, stderr: '' })
  }
  expect((await client.get(`/1.0/publish/${name}`)).body).toMatchObject({ fileNames: [] })
  expect(JSON.parse((await packets('create', org, '--json')).stdout)).toEqual({ orgName: org })
  expect(await packets('ls', org, 'a')).toMatchObject({ stdout: 'a.json\n' })
  expect(await packets('create', '.hidden')).toMatchObject({
    code: 7,
    stdout: '',
    stderr: expect.stringContaining('400'),
  })
})

describe('ls', () => {
  test('ls prints the names of an org, one a line', async () => {
    expect(await packets('ls', org)).toEqual({ code: 0, stdout: 'a.json\nb.json\nbb.json\n', stderr: '' })
  })

  test('ls prints the names that start with one of the prefixes, and says if a limit leaves some out', async () => {
    expect(await packets('ls', org, 'b', 'x')).toEqual({ code: 0, stdout: 'b.json\nbb.json\n', stderr: '' })
    const { stdout, stderr } = await packets('ls', org, '--limit', '2', '--json')
    expect(JSON.parse(stdout)).toEqual({ files: ['a.json', 'b.json'], hasMore: true })
    expect(stderr).toBe('there are more files: raise --limit\n')
  })

  test('ls without an org prints the orgs', async () => {
    expect((await packets('ls')).stdout.split('\n')).toContain(org)
    const { stdout, stderr } = await packets('ls', '--limit', '1', '--json')
    expect(JSON.parse(stdout)).toEqual({ orgs: [expect.any(String)], hasMore: expect.any(Boolean) })
    expect(stderr).toMatch(/^(there are more orgs: raise --limit\n)?$/)
  })

  test('ls of an org that does not exist is refused by the service', async () => {
    const { code, stdout, stderr } = await packets('ls', 'nowhere')
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
    expect(stderr).toMatch(/^error: the service answered 404 Not Found: orgName: "nowhere" does not exist/)
  })
})

describe('jobs and job', () => {
  test('jobs lists the jobs of an org, newest first', async () => {
    const { stdout } = await packets('jobs', org)
    expect(stdout.split('\n').map((line) => line.split('  ')[0])).toEqual(
      [failed, ...jobs].map(({ id }) => id).concat(''),
    )
    expect(stdout.split('\n')[1]).toMatch(/^\S+ {2}succeeded {2}\S+\/bb\.json {2}\S+Z {2}\d+ pairs, 1 part, /)
    const limited = await packets('jobs', org, '--limit', '1', '--json')
    expect(JSON.parse(limited.stdout)).toEqual({ jobs: [failed], hasMore: true })
    const inState = async (state: string) => JSON.parse((await packets('jobs', org, '--state', state, '--json')).stdout)
    expect(await inState('failed')).toEqual({ jobs: [failed], hasMore: false })
    expect(await inState('open')).toEqual({ jobs: [], hasMore: false })
  })

  test('job shows one job as the API does', async () => {
    const { code, stdout } = await packets('job', failed.id, '--json')
    expect({ code, job: JSON.parse(stdout) }).toEqual({ code: 0, job: failed })
    expect((await packets('job', failed.id)).stdout).toContain('error: ')
  })

  test('job --follow of a job that has failed prints its error, with exit code 7', async () => {
    const { code, stdout, stderr } = await packets('job', failed.id, '--follow')
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
    expect(stderr).toContain(`error: the job ${failed.id} failed: ${failed.error?.message}`)
  })

  test('job --cancel is refused by the service for a job that has finished', async () => {
    const { code, stderr } = await packets('job', jobs[0]?.id as string, '--cancel')
    expect({ code, stderr }).toMatchObject({ code: 7, stderr: expect.stringContaining('409 Conflict') })
  })

  test('an unknown job is refused by the service', async () => {
    expect(await packets('job', 'unknown')).toMatchObject({ code: 7, stderr: expect.stringContaining('404 Not Found') })
  })
})

describe('the token', () => {
  test('the token may come from a file', async () => {
    const file = join(emptyDirectory(), 'token')
    writeFileSync(file, `${tokens.all}\n`)
    const { code, stdout } = await runCli(['ls', org, '--url', `${apiUrl}/`, '--token-file', file])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'a.json\nb.json\nbb.json\n' })
  })

  test('the token is refused if it is wrong', async () => {
    const { code, stderr } = await runCli(['ls', org], { ...env, PACKETS_TOKEN: 'wrong' })
    expect({ code, stderr }).toMatchObject({ code: 7, stderr: expect.stringContaining('401 Unauthorized') })
  })

  test('a missing token is an error that says how to set it', async () => {
    const { code, stderr } = await runCli(['ls', org], { PACKETS_URL: apiUrl })
    const missing = `error: the token for ${apiUrl} is missing: set PACKETS_TOKEN or pass --token-file\n`
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(missing) })
  })
})

test('a service that is not there is exit code 7', async () => {
  const { code, stderr } = await runCli(['ls', org], { ...env, PACKETS_URL: 'http://127.0.0.1:9' })
  expect({ code, stderr }).toEqual({
    code: 7,
    stderr: expect.stringMatching(/^error: http:\/\/127\.0\.0\.1:9 is not reachable/),
  })
})

test('whoami says what the token allows', async () => {
  const { stdout } = await packets('whoami')
  expect(stdout).toMatch(/^all\norgs: \*\nscopes: publish:read, .*ops:read, ops:write\nexpires: never\n$/)
  expect(JSON.parse((await packets('whoami', '--json')).stdout)).toMatchObject({ name: 'all', expiresAt: null })
})

test('overview says how the service is', async () => {
  const { stdout } = await packets('overview')
  expect(stdout).toMatch(/^redis: up\nobject store: up\nmanager database: up\nqueue: \d+ waiting, \d+ running, /)
  expect(stdout).toMatch(/\nworkers: \d+ workers?, \d+ of \d+ slots? busy\nredis memory: /)
  const { queue, workers } = JSON.parse((await packets('overview', '--json')).stdout)
  expect([queue.openRunsLimit, workers.count]).toEqual([expect.any(Number), expect.any(Number)])
})
