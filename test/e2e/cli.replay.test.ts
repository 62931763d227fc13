import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, test } from 'vitest'
import { run } from '../../dev/replay/neo4j.ts'
import { emptyDirectory, runCli } from '../support/clients/cli.ts'
import { prepareReplay } from '../support/clients/cli-target.ts'

const { org, label, target, clearTarget, publish, replay, packets, client, to, variables, address, differing, count } =
  await prepareReplay(400)
await publish('people.json')
const all = `${org}/people.json`
const state = () => ['--state', join(emptyDirectory(), 'state.json')]
const constraint = `CREATE CONSTRAINT IF NOT EXISTS FOR (n:\`${label}\`) REQUIRE n.\`id\` IS UNIQUE`

test('a missing constraint is refused before anything is written, with the statement that creates it', async () => {
  const { code, stdout, stderr } = await replay(all, ...state())
  expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
  expect(stderr).toBe(
    `error: the target has no uniqueness constraint on :${label}(id): replay would be slow and could make duplicates. Run: ${constraint}; or pass --create-constraints\n`,
  )
  expect(await count()).toBe(0)
})

test('a packet of the service is replayed, and the target is equal to the origin', async () => {
  const { code, stdout, stderr } = await replay(all, '--create-constraints', '--json', '--progress', 'none', ...state())
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject({
    source: all,
    target: address.boltUrl,
    lanes: 4,
    partsDone: 1,
    partsSkipped: 0,
    rejected: 0,
    counters: { nodesCreated: 400, relationshipsCreated: 400 },
  })
  expect(await differing()).toEqual([])
  // Once more: nothing changes.
  const again = await replay(all, '--lanes', '2', '--batch', '10', ...state())
  expect(again.stdout).toMatch(new RegExp(`^${all}: replayed 1 part: [\\d,]+ rows in \\d+ transactions, `))
  expect(await differing()).toEqual([])
})

describe('every other source', () => {
  beforeEach(clearTarget)

  test('a directory that get wrote, part files alone, and a compressed part can be replayed', async () => {
    const directory = join(emptyDirectory(), 'people')
    await packets(['get', all, '-o', directory])
    expect(await replay(directory, ...state())).toMatchObject({ code: 0 })
    expect(await differing()).toEqual([])
    await clearTarget()
    const compressed = join(emptyDirectory(), 'people.json.gz')
    writeFileSync(compressed, gzipSync(readFileSync(join(directory, 'people.json'))))
    expect(await replay(compressed, ...state())).toMatchObject({ code: 0 })
    expect(await differing()).toEqual([])
  })

  test('a link and standard input can be replayed', async () => {
    const link = (await client.get(`/1.0/publish/${org}/people.json/url`)).body.fileLocation as string
    expect(await replay(link, ...state())).toMatchObject({ code: 0 })
    expect(await differing()).toEqual([])
    await clearTarget()
    const part = Buffer.from(await (await fetch(link)).arrayBuffer())
    expect(await packets(['replay', '-', ...to, ...state()], part)).toMatchObject({ code: 0 })
    expect(await differing()).toEqual([])
  })

  test('a part in which a bit is flipped is exit code 5, and nothing is written', async () => {
    const directory = join(emptyDirectory(), 'people')
    await packets(['get', all, '-o', directory])
    const bytes = readFileSync(join(directory, 'people.json'))
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1
    writeFileSync(join(directory, 'people.json'), bytes)
    const { code, stderr } = await replay(directory, ...state())
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringMatching(
        /^error: part 1 of 1 \(people\.json\): sha256 is \w{64}, the manifest says \w{64}; download/,
      ),
    })
    expect(await count()).toBe(0)
  })
})

describe('statements of others', () => {
  const other = { statement: `CREATE (:\`${label}\` {id: $id})`, parameters: { id: 'other' }, metadata: null }
  const part = JSON.stringify({ statements: [other] })

  test('statements that the service does not write are refused', async () => {
    await clearTarget()
    const { code, stderr } = await packets(['replay', '-', ...to, ...state()], part)
    const message = 'part 1, pair 1: not a statement that this service writes'
    expect({ code, stderr }).toEqual({ code: 4, stderr: `error: ${message}\n` })
    expect(await count()).toBe(0)
  })
})

describe('a pair that the target refuses', () => {
  // A second constraint, which the packet knows nothing of.
  const taken = ['p1', 'p2', 'p3'].map((id) => ({
    statement: `MERGE (n:\`${label}\` {\`id\`: $id}) SET n = {\`id\`: $id, \`mail\`: $mail, \`score\`: $score}`,
    parameters: { id, mail: id === 'p2' ? 'p1' : id, score: 1 },
    metadata: null,
  }))
  const part = JSON.stringify({ statements: taken }).replaceAll('"score":1', '"score":1.0')

  beforeEach(async () => {
    await clearTarget()
    await run(target, `CREATE CONSTRAINT IF NOT EXISTS FOR (n:\`${label}\`) REQUIRE n.mail IS UNIQUE`)
  })

  test('a pair that the target refuses ends the replay with its place: exit code 6', async () => {
    const { code, stdout, stderr } = await packets(['replay', '-', ...to, ...state()], part)
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' })
    expect(stderr).toMatch(
      /^error: part 1, pair \d \(node upsert, .*\): Neo\.ClientError\.Schema\.ConstraintValidationFailed/,
    )
  })

  test('a pair that the target refuses is collected in a part file with its types; others are replayed', async () => {
    const rejects = join(emptyDirectory(), 'rejects.json')
    const words = ['replay', '-', ...to, '--on-error', 'collect', '--rejects', rejects, ...state()]
    const { code, stdout, stderr } = await packets(words, part)
    const told = `error: the target refused 1 pair, which ${rejects} has; all others were replayed\n`
    expect({ code, stderr }).toEqual({ code: 6, stderr: told })
    expect(stdout).toContain('replayed 1 part')
    expect(await count()).toBe(2)
    const text = readFileSync(rejects, 'utf8')
    expect(JSON.parse(text).statements).toHaveLength(1)
    expect(text).toContain('"score":1.0')
    // The same command once more adds no pair twice.
    expect(await packets(words, part)).toMatchObject({ code: 6, stderr: told })
    expect(readFileSync(rejects, 'utf8')).toBe(text)
  })
})

describe('the target', () => {
  test('a wrong password for the target is exit code 4', async () => {
    const wrong = { ...variables, PACKETS_TARGET_PASSWORD: 'wrong-password' }
    const { code, stderr } = await runCli(['replay', all, ...to, ...state()], wrong)
    expect({ code, stderr }).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('Neo.ClientError.Security.Unauthorized'),
    })
  })

  test('a target that cannot be reached is exit code 6', async () => {
    const words = ['replay', all, '--to', 'bolt://127.0.0.1:9', '--user', 'neo4j', ...state()]
    expect(await packets(words)).toMatchObject({ code: 6, stderr: expect.stringContaining('cannot be reached') })
  })

  test('the password of the target may be in a file', async () => {
    const file = join(emptyDirectory(), 'password')
    writeFileSync(file, address.password)
    const { PACKETS_TARGET_PASSWORD: _, ...others } = variables
    expect(await runCli(['replay', all, ...to, '--password-file', file, ...state()], others)).toMatchObject({ code: 0 })
  })
})
