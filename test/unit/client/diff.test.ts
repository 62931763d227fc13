import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { emptyDirectory, runCli } from '../../support/clients/cli.ts'

const person = (id: string, metadata: object | null = null) => ({
  statement: 'MERGE (n:`Person` {`id`: $id}) SET n = {`id`: $id}',
  parameters: { id },
  metadata,
})
const partOf = (...pairs: object[]) => JSON.stringify({ statements: pairs })
const many = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => person(`${prefix}${index}`))

function filesOf(old: string, other: string) {
  const directory = emptyDirectory()
  const [from, to] = [join(directory, 'old.json'), join(directory, 'new.json')]
  writeFileSync(from, old)
  writeFileSync(to, other)
  return { from, to, out: join(directory, 'out') }
}

const manifestIn = (directory: string) => JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'))

test('diff without a new pair is exit code 0, and counts the pairs that only the old packet has', async () => {
  const { from, to } = filesOf(partOf(person('a'), person('b'), person('b')), partOf(person('a')))
  expect(await runCli(['diff', from, to])).toEqual({
    code: 0,
    stdout: `${to}: 1 pair, of which ${from} (3) lacks 0\n1 distinct pair only ${from} has; replaying the new packet does not undo them\n`,
    stderr: '',
  })
})

test('diff with a new pair is exit code 3, and prints no error', async () => {
  const { from, to } = filesOf(
    partOf(person('a')),
    partOf(person('a'), person('b'), { statement: 'RETURN 1', parameters: {} }),
  )
  expect(await runCli(['diff', from, to])).toEqual({
    code: 3,
    stdout: `${to}: 3 pairs, of which ${from} (1) lacks 2\n  nodeUpsert: 1\n  other: 1\n`,
    stderr: '',
  })
  const { code, stdout, stderr } = await runCli(['diff', from, '-', '--json'], {}, readFileSync(to))
  expect({ code, stderr, found: JSON.parse(stdout) }).toEqual({
    code: 3,
    stderr: '',
    found: {
      old: { name: from, pairs: 1, sha256: expect.stringMatching(/^\w{64}$/) },
      new: { name: 'standard input', pairs: 3, sha256: expect.stringMatching(/^\w{64}$/) },
      onlyNew: { pairs: 2, statements: { nodeUpsert: 1, other: 1 } },
      onlyOld: { pairs: 0 },
    },
  })
})

describe('--out', () => {
  test('diff --out writes what is new as a packet, whose metadata and numbers are kept', async () => {
    const { from, to, out } = filesOf(
      partOf(person('a')),
      partOf(person('a'), person('b', { qa: { at: 0 } })).replace('"at":0', '"at":1.0'),
    )
    const { code, stdout } = await runCli(['diff', from, to, '--out', out, '--json'])
    expect({ code, found: JSON.parse(stdout) }).toMatchObject({ code: 3, found: { out } })
    expect(readdirSync(out).sort()).toEqual(['manifest.json', 'packet.json'])
    expect(readFileSync(join(out, 'packet.json'), 'utf8')).toBe(
      partOf(person('b', { qa: { at: 0 } })).replace('"at":0', '"at":1.0'),
    )
    expect(manifestIn(out)).toMatchObject({ base: JSON.parse(stdout).old.sha256, pairs: 1 })
    const read = await runCli(['inspect', out])
    expect(read).toMatchObject({ code: 0, stderr: '' })
    expect(read.stdout).toContain(`base: ${JSON.parse(stdout).old.sha256}, the packet that a target must have`)
    expect(read.stdout).toContain('FOR (n:`Person`) REQUIRE n.`id` IS UNIQUE')
    // With it, the old packet makes the new one.
    expect(await runCli(['diff', out, to])).toMatchObject({ code: 3 })
    expect(await runCli(['diff', to, out])).toMatchObject({ code: 0 })
  })

  test('diff --out cuts parts at 5,000 pairs, and inspect agrees with the manifest when it reads them', async () => {
    const { from, to, out } = filesOf(partOf(), partOf(...many(5_001, 'p')))
    expect(await runCli(['diff', from, to, '--out', out])).toMatchObject({ code: 3 })
    const names = ['packet.jsonPart1of2', 'packet.jsonPart2of2']
    expect(readdirSync(out).sort()).toEqual(['manifest.json', ...names])
    const { pairs, bytes, parts } = manifestIn(out)
    expect([pairs, parts.map((part: { pairs: number }) => part.pairs)]).toEqual([5_001, [5_000, 1]])
    expect(await runCli(['diff', out, to])).toMatchObject({ code: 0 })
    const told = JSON.parse((await runCli(['inspect', out, '--json'])).stdout)
    // Without a manifest the parts themselves say the same.
    rmSync(join(out, 'manifest.json'))
    const { statements, requires } = told
    const read = JSON.parse((await runCli(['inspect', out, '--json'])).stdout)
    expect(read).toMatchObject({ pairs, bytes, statements, requires })
    expect(told).toMatchObject({ pairs, bytes, statements: { nodeUpsert: 5_001 } })
  })

  test('diff --out cuts parts at 32 MiB', async () => {
    const large = many(3, 'p').map((pair) => ({
      ...pair,
      parameters: { id: 'x'.repeat(12 * 1024 * 1024) + pair.parameters.id },
    }))
    const { from, to, out } = filesOf(partOf(), partOf(...large))
    expect(await runCli(['diff', from, to, '--out', out])).toMatchObject({ code: 3 })
    expect(manifestIn(out).parts.map((part: { pairs: number }) => part.pairs)).toEqual([2, 1])
  })

  test('diff --out writes a packet without pairs where nothing is new', async () => {
    const { from, to, out } = filesOf(partOf(person('a')), partOf(person('a')))
    expect(await runCli(['diff', from, to, '--out', out])).toMatchObject({ code: 0 })
    expect(manifestIn(out)).toMatchObject({ pairs: 0, parts: [{ fileName: 'packet.json', pairs: 0 }] })
    expect(await runCli(['inspect', out])).toMatchObject({ code: 0 })
  })

  test('diff --out takes an empty directory, and one with nothing but what an interrupted diff left', async () => {
    const { from, to, out } = filesOf(partOf(), partOf(person('a')))
    mkdirSync(out)
    writeFileSync(join(out, '.7.incomplete'), partOf(person('a')))
    expect(await runCli(['inspect', out])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has neither a manifest.json nor part files'),
    })
    expect(await runCli(['diff', from, to, '--out', out])).toMatchObject({ code: 3 })
    expect(readdirSync(out).sort()).toEqual(['manifest.json', 'packet.json'])
    const again = await runCli(['diff', from, to, '--out', out])
    expect(again).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`error: --out: ${out} is not empty; name another directory\n`),
    })
  })

  test('diff --out leaves nothing of a packet that turns out to be broken', async () => {
    const { from, to, out } = filesOf(partOf(), partOf(...many(5_001, 'p')))
    const parts = emptyDirectory()
    writeFileSync(join(parts, 'new.jsonPart1of2'), readFileSync(to))
    expect(await runCli(['diff', from, parts, '--out', out])).toEqual({
      code: 5,
      stdout: '',
      stderr: 'error: part 2 of 2 (new.jsonPart2of2): it is missing\n',
    })
    expect(existsSync(out)).toBe(false)
  })

  test('diff --out is refused if the directory cannot be written', async () => {
    const { from, to } = filesOf(partOf(), partOf())
    const { code, stderr } = await runCli(['diff', from, to, '--out', join(from, 'out')])
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be written (ENOTDIR)') })
  })
})

test('diff warns if hardly any upsert is in the old packet', async () => {
  const { from, to } = filesOf(partOf(...many(200, 'old')), partOf(...many(101, 'new')))
  const { code, stderr } = await runCli(['diff', from, to])
  expect({ code, stderr }).toEqual({
    code: 3,
    stderr: `warning: hardly any of the 101 upserts of ${to} is in ${from}; a timestampProperty in the request makes every stamped pair differ\n`,
  })
  const few = filesOf(partOf(...many(200, 'old')), partOf(...many(100, 'new')))
  expect(await runCli(['diff', few.from, few.to])).toMatchObject({ code: 3, stderr: '' })
})

test('both packets on standard input are refused', async () => {
  const { code, stderr } = await runCli(['diff', '-', '-'])
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('error: only one of the packets can be standard input\n'),
  })
})

test('options for the service are refused if neither packet is there', async () => {
  const { from, to } = filesOf(partOf(), partOf())
  const { code, stderr } = await runCli(['diff', from, to, '--url', 'http://host'])
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`are for packets at the service, and ${from} and ${to} are not there`),
  })
})
