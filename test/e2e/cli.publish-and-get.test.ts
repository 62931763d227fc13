import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { emptyDirectory, runCli, spawnCli } from '../support/clients/cli.ts'
import { prepare } from '../support/clients/e2e.ts'
import { forward, startFakeService } from '../support/servers/fake-service.ts'

const { apiUrl, tokens } = inject('service')
const { client, org, label, ids, fields, neo4j } = await prepare(1_200)
const variables = { PACKETS_URL: apiUrl, PACKETS_TOKEN: tokens.all as string }
const origin = {
  PACKETS_ORIGIN_URL: neo4j.boltUrl,
  PACKETS_ORIGIN_USER: neo4j.username,
  PACKETS_ORIGIN_PASSWORD: neo4j.password,
}
const { dbUrl, credentials, ...request } = { ...fields, parameterSyntax: 'dollar' }
const packets = (words: string[], input?: string, more: object = {}) =>
  runCli(words, { ...variables, ...origin, ...more }, input)
const publish = (name: string, originIds: readonly string[], ...words: string[]) =>
  packets(['publish', '-', '--org', org, '--name', name, ...words], JSON.stringify({ ...request, originIds }))
const jobsOf = async (name: string) => {
  const { jobs } = JSON.parse((await packets(['jobs', org, '--json'])).stdout) as { jobs: JobRecord[] }
  return jobs.filter(({ fileName }) => fileName === name)
}

describe('publish', () => {
  test('publish takes a file, and prints what the job did', async () => {
    const file = join(emptyDirectory(), 'request.json')
    writeFileSync(
      file,
      JSON.stringify({
        ...request,
        dbUrl,
        credentials,
        orgName: org,
        fileName: 'file.json',
        originIds: ['p1', 'absent'],
      }),
    )
    const { code, stdout } = await runCli(['publish', file], variables)
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`^\\S+ {2}succeeded {2}${org}/file\\.json .*\\nmissing: 1 origin id: absent\\n$`))
  })

  test('publish takes the request from the input, and does not replace a packet unasked', async () => {
    expect(await publish('input.json', ['p1'])).toMatchObject({ code: 0 })
    const { code, stderr } = await publish('input.json', ['p1'])
    expect({ code, stderr }).toMatchObject({ code: 7, stderr: expect.stringContaining('409 Conflict') })
    const forced = JSON.parse((await publish('input.json', ['p1', 'p2'], '--force', '--json')).stdout)
    expect(forced).toMatchObject({ state: 'succeeded', kind: 'multi' })
    const { found } = { found: JSON.parse((await packets(['inspect', `${org}/input.json`, '--json'])).stdout) }
    expect(found).toMatchObject({ generation: 2, pairs: forced.progress.pairs })
  })

  test('publish with --dry-run says what the packet would be, and stores nothing', async () => {
    const { code, stdout, stderr } = await publish('dry.json', ids.slice(0, 100), '--dry-run')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^would make 301 pairs, 1 part, [\d.]+ kB\n {2}nodeUpsert {19}100\n/)
    expect(await jobsOf('dry.json')).toEqual([])
    await publish('dry.json', ids.slice(0, 100))
    const found = JSON.parse((await packets(['inspect', `${org}/dry.json`, '--json'])).stdout)
    const foreseen = JSON.parse((await publish('dry.json', ids.slice(0, 100), '--dry-run', '--json')).stdout)
    const { pairs, bytes, statements, requires } = found
    expect(foreseen.dryRun).toMatchObject({ pairs, bytes, statements, requires, wouldConflict: true })
  })

  test('publish takes any number of ids, and makes one packet of all', async () => {
    const file = join(emptyDirectory(), 'ids')
    writeFileSync(file, ids.join('\n'))
    const text = JSON.stringify(request)
    const { code, stdout } = await packets(
      ['publish', '-', '--ids', file, '--org', org, '--name', 'ids.json', '--json'],
      text,
    )
    expect(code).toBe(0)
    expect(JSON.parse(stdout).progress).toMatchObject({ subRequests: 3, subRequestsDone: 3 })
    const { stdout: listed } = await packets(['inspect', `${org}/ids.json`])
    expect(listed).toContain(`nodeUpsert: 1,200\n`)
    expect(listed).toContain(`CREATE CONSTRAINT IF NOT EXISTS FOR (n:\`${label}\`) REQUIRE n.\`id\` IS UNIQUE;`)
  })

  test('a publish whose answer is lost is repeated, and makes one job', async () => {
    let lost = 0
    const proxy = await startFakeService(async (asked) => {
      const answer = await forward(apiUrl, asked)
      return asked.method === 'POST' && lost++ === 0 ? 'hang up' : answer
    })
    const text = JSON.stringify({ ...request, originIds: ['p1'], orgName: org, fileName: 'lost.json' })
    const { code, stdout } = await packets(['publish', '-', '--json'], text, { PACKETS_URL: proxy.url })
    expect({ code, posts: proxy.requests.filter(({ method }) => method === 'POST').length }).toEqual({
      code: 0,
      posts: 2,
    })
    expect(await jobsOf('lost.json')).toEqual([JSON.parse(stdout)])
  })

  test('a publish that the service refuses is exit code 7, and every broken rule is printed', async () => {
    const { code, stderr } = await packets(
      ['publish', '-'],
      JSON.stringify({ ...request, originIds: ['p1'], nonsense: 1 }),
    )
    expect({ code, stderr }).toMatchObject({
      code: 7,
      stderr: expect.stringContaining(' nonsense: unknown field; orgName: required'),
    })
  })
})

describe('get', () => {
  test('get downloads every part with the digest that the manifest has, and inspect agrees', async () => {
    await publish('get.json', ids.slice(0, 500))
    const directory = join(emptyDirectory(), 'get')
    expect(await packets(['get', `${org}/get.json`, '-o', directory])).toMatchObject({ code: 0 })
    const manifest = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'))
    for (const { fileName, sha256 } of manifest.parts) {
      expect(hash('sha256', readFileSync(join(directory, fileName)))).toBe(sha256)
    }
    const [there, here] = await Promise.all(
      [`${org}/get.json`, directory].map((source) => packets(['inspect', source, '--json'])),
    )
    expect(JSON.parse(here?.stdout as string)).toEqual({ ...JSON.parse(there?.stdout as string), name: directory })
    // The same from the parts alone.
    const bare = JSON.parse((await packets(['inspect', join(directory, 'get.json'), '--json'])).stdout)
    const { pairs, bytes, statements, requires } = JSON.parse(here?.stdout as string)
    const counted = Object.fromEntries(Object.entries(statements).filter(([, count]) => (count as number) > 0))
    expect(bare).toMatchObject({ pairs, bytes, statements: counted, requires })
  })

  test('get downloads parts of one generation if the packet is replaced during the download', async () => {
    await publish('replaced.json', ids.slice(0, 400))
    const old = JSON.parse((await packets(['inspect', `${org}/replaced.json`, '--json'])).stdout)
    const proxy = await startFakeService(async (asked) => {
      const answer = await forward(apiUrl, asked)
      await publish('replaced.json', ids.slice(0, 10), '--force')
      return answer
    })
    const directory = join(emptyDirectory(), 'replaced')
    const got = await packets(['get', `${org}/replaced.json`, '-o', directory, '--json'], '', {
      PACKETS_URL: proxy.url,
    })
    expect(JSON.parse(got.stdout)).toMatchObject({ generation: 1, sha256: old.sha256, pairs: old.pairs })
    // Now the next generation, of which no part is the same.
    const next = await packets(['get', `${org}/replaced.json`, '-o', directory, '--json'])
    expect(JSON.parse(next.stdout)).toMatchObject({ generation: 2, fetched: 1, kept: 0 })
  })

  test('get writes into a directory named like the packet', async () => {
    await publish('deep/named.json', ['p1'])
    const cwd = emptyDirectory()
    const { code, stdout } = await spawnCli(['get', `${org}/deep/named.json`], variables, { cwd })
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^named: \d+ pairs, 1 part, 1\.\d kB\n$/),
    })
    expect(JSON.parse(readFileSync(join(cwd, 'named/manifest.json'), 'utf8'))).toMatchObject({
      packet: `${org}/deep/named.json`,
    })
  })

  test('get of a packet that does not exist is exit code 7', async () => {
    const { code, stderr } = await packets(['get', `${org}/absent.json`])
    expect({ code, stderr }).toEqual({
      code: 7,
      stderr: `error: "${org}/absent.json" is no file here and no packet at ${apiUrl}\n`,
    })
  })
})

test('a link is a source, and needs no token', async () => {
  await publish('link.json', ['p1', 'p2'])
  const { body } = await client.get(`/1.0/publish/${org}/link.json/url`)
  const { code, stdout } = await runCli(['inspect', body.fileLocation as string, '--json'])
  expect({ code, found: JSON.parse(stdout) }).toMatchObject({ code: 0, found: { statements: { nodeUpsert: 2 } } })
  expect(stdout).not.toContain('X-Amz-Signature')
  const expired = (body.fileLocation as string).replace(/X-Amz-Signature=\w+/, 'X-Amz-Signature=0')
  const refused = await runCli(['inspect', expired])
  expect(refused).toMatchObject({ code: 7, stderr: expect.stringContaining('answered 403') })
  expect(refused.stderr).not.toContain('X-Amz')
})
