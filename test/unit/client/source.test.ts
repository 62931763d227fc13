import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { emptyDirectory, runCli } from '../../support/clients/cli.ts'
import { startFakeService } from '../../support/servers/fake-service.ts'

const person = (id: string) => ({
  statement: 'MERGE (n:`Person` {`id`: $id}) SET n = {`id`: $id}',
  parameters: { id },
  metadata: null,
})
const part = (...ids: string[]) => JSON.stringify({ statements: ids.map(person) })
const inspect = async (source: string, input?: string | Buffer) => {
  const { code, stdout, stderr } = await runCli(['inspect', source, '--json'], {}, input)
  return { code, stderr, found: stdout === '' ? null : JSON.parse(stdout) }
}

function directoryOf(files: Record<string, string | Buffer>): string {
  const directory = emptyDirectory()
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content)
  return directory
}

describe('a source is', () => {
  test('a source may be a file with one part', async () => {
    const file = join(directoryOf({ 'people.json': part('a', 'b') }), 'people.json')
    const { code, found } = await inspect(file)
    expect(code).toBe(0)
    expect(found).toMatchObject({ name: file, sha256: null, pairs: 2, statements: { nodeUpsert: 2 } })
    expect(found.requires.constraints).toMatchObject([{ label: 'Person', property: 'id' }])
  })

  test('a source may be a compressed file', async () => {
    const directory = directoryOf({ 'people.json.gz': gzipSync(part('a', 'b', 'c')) })
    expect((await inspect(join(directory, 'people.json.gz'))).found).toMatchObject({ pairs: 3 })
    expect((await inspect(directory)).found).toMatchObject({ pairs: 3, parts: [{ name: 'people.json' }] })
  })

  test.each([
    ['as it is', Buffer.from(part('a'))],
    ['compressed', gzipSync(part('a'))],
  ])('a source may be the input, %s', async (_how, input) => {
    expect((await inspect('-', input)).found).toMatchObject({ name: 'standard input', pairs: 1 })
  })

  test('a source may be a directory of part files, in the order of the parts', async () => {
    const names = [
      'people.jsonPart2of11',
      'people.jsonPart1of11',
      ...Array.from({ length: 9 }, (_, at) => `people.jsonPart${at + 3}of11`),
    ]
    const directory = directoryOf(Object.fromEntries(names.map((name) => [name, part(name)])))
    mkdirSync(join(directory, 'other'))
    const { found } = await inspect(directory)
    expect(found.pairs).toBe(11)
    expect(found.parts.map(({ name }: { name: string }) => name)).toEqual(
      Array.from({ length: 11 }, (_, at) => `people.jsonPart${at + 1}of11`),
    )
  })
})

describe('exit code 5, with the place:', () => {
  test('a missing part is exit code 5, with its place', async () => {
    const directory = directoryOf({ 'people.jsonPart1of2': part('a') })
    expect(await inspect(directory)).toEqual({
      code: 5,
      stderr: 'error: part 2 of 2 (people.jsonPart2of2): it is missing\n',
      found: null,
    })
  })

  test.each([
    ['cut', Buffer.from(part('a').slice(0, -1)), /not valid JSON/],
    ['no packet', Buffer.from('[]'), /part 1 of 1 \(-\): /],
    ['badly compressed', gzipSync(part('a')).subarray(0, 30), /cannot be decompressed/],
  ])('a part that is %s is exit code 5, with its place', async (_how, input, message) => {
    const { code, stderr } = await inspect('-', input)
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringMatching(message) })
  })

  test.each(['gzip', 'identity'])('a download that is longer than any part is exit code 5: %s', async (encoding) => {
    const bytes = Buffer.alloc(64 * 1024 * 1024 + 1, ' ')
    const body = encoding === 'gzip' ? gzipSync(bytes) : bytes
    const host = await startFakeService(() => ({ status: 200, headers: { 'Content-Encoding': encoding }, body }))
    expect(await inspect(`${host.url}/part.json`)).toMatchObject({
      code: 5,
      stderr: 'error: part 1 of 1 (part.json): it has more than 67.1 MB, as no part has\n',
    })
    expect(host.requests).toHaveLength(1)
  })

  test('a download that is damaged where it was compressed is exit code 5, and is not tried again', async () => {
    const body = gzipSync(part('a'))
    body.writeUInt32LE(0, body.length - 8)
    const host = await startFakeService(() => ({ status: 200, headers: { 'Content-Encoding': 'gzip' }, body }))
    expect(await inspect(`${host.url}/part.json`)).toMatchObject({
      code: 5,
      stderr: 'error: part 1 of 1 (part.json): it cannot be decompressed (Z_DATA_ERROR)\n',
    })
    expect(host.requests).toHaveLength(1)
  })

  test('a manifest file that is no manifest is exit code 5', async () => {
    const directory = directoryOf({ 'manifest.json': '{"parts": []}', 'people.json': part('a') })
    expect(await inspect(directory)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('manifest.json is no manifest: packet: '),
    })
  })
})

test('statements that the service does not write are counted as other', async () => {
  const other = { statement: 'MATCH (n) DETACH DELETE n', parameters: {}, metadata: null }
  const { found } = await inspect('-', JSON.stringify({ statements: [person('a'), other] }))
  expect(found.statements).toEqual({ nodeUpsert: 1, other: 1 })
})

test('a directory without parts is refused', async () => {
  const { code, stderr } = await inspect(emptyDirectory())
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('has neither a manifest.json nor part files'),
  })
})

test('inspect names what a target needs', async () => {
  const { stdout } = await runCli(['inspect', '-'], {}, part('a', 'b'))
  expect(stdout).toMatchInlineSnapshot(`
    "standard input: 2 pairs, 1 part, 230 bytes
      nodeUpsert: 2
    A target needs Neo4j 3.4 or later and these constraints:
      Neo4j 4.4 and later:
        CREATE CONSTRAINT IF NOT EXISTS FOR (n:\`Person\`) REQUIRE n.\`id\` IS UNIQUE;
      Neo4j before 4.4:
        CREATE CONSTRAINT ON (n:\`Person\`) ASSERT n.\`id\` IS UNIQUE;
    "
  `)
})

test('options for the service are refused if the packet is not there', async () => {
  const { code, stderr } = await runCli(['inspect', '-', '--url', 'http://host'], {}, part('a'))
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--url and --token-file are for packets at the service'),
  })
})

test('a source that is no file is refused if no service is named', async () => {
  expect(await inspect('acme/people.json')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('set PACKETS_URL'),
  })
})

test('a name that cannot be a packet is not looked up', async () => {
  const variables = { PACKETS_URL: 'http://127.0.0.1:9', PACKETS_TOKEN: 'x' }
  const { code, stderr } = await runCli(['inspect', 'people.json'], variables)
  expect({ code, stderr }).toEqual({
    code: 7,
    stderr: 'error: "people.json" is no file here and no packet at http://127.0.0.1:9\n',
  })
})

test('a name with several slashes is a packet of the longest org that it may begin with', async () => {
  const service = await startFakeService(() => ({ status: 404, body: {} }))
  const { code } = await runCli(['inspect', 'acme/eu/people.json'], service.variables)
  expect(code).toBe(7)
  expect(service.requests.map(({ url }) => url.split('?')[0])).toEqual(['/1.0/publish/acme%2Feu/people.json/manifest'])
})
