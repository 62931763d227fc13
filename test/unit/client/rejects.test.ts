import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openRejects } from '../../../client/target/rejects.ts'
import { parsePart } from '../../../packet/parts/parse-part.ts'
import { emptyDirectory, runCli } from '../../support/clients/cli.ts'

const pair = (id: string) => ({ statement: 'RETURN $id, $one', parameters: { id, one: 1n, two: 1.5 }, metadata: null })
const newFile = () => join(emptyDirectory(), 'rejects.json')
const idsIn = (file: string) => parsePart(readFileSync(file)).map(({ parameters }) => parameters.id)

async function collect(file: string, ...ids: string[]) {
  const rejects = await openRejects(file)
  for (const id of ids) await rejects.add(pair(id))
  await rejects.close()
}

test('the file is a part, readable by its owner only', async () => {
  const file = newFile()
  await collect(file, 'a', 'b')
  expect(parsePart(readFileSync(file))).toEqual([pair('a'), pair('b')])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('without a pair there is no file', async () => {
  const file = newFile()
  await collect(file)
  expect(existsSync(file)).toBe(false)
})

test('a later run adds to the file, each pair once', async () => {
  const file = newFile()
  await collect(file, 'ä', 'b')
  await collect(file)
  expect(idsIn(file)).toEqual(['ä', 'b'])
  await collect(file, 'b', 'c')
  expect(idsIn(file)).toEqual(['ä', 'b', 'c'])
})

test('the pairs of earlier runs are counted, and all pairs of the file', async () => {
  const file = newFile()
  await collect(file, 'a', 'b')
  const rejects = await openRejects(file)
  await rejects.add(pair('b'))
  await rejects.add(pair('c'))
  expect([rejects.earlier, rejects.count()]).toEqual([2, 3])
  await rejects.close()
})

test('a file left by a run that was killed at its start is used', async () => {
  const file = newFile()
  writeFileSync(file, '{"statements":[]}\n')
  await collect(file, 'a')
  expect(idsIn(file)).toEqual(['a'])
})

test.each([
  ['an empty file', ''],
  ['a part of other spacing', `${JSON.stringify({ statements: [{ ...pair('a'), parameters: {} }] }, null, 1)}\n`],
  ['a file that is cut', '{"statements":[{"statement":"RETURN 1"'],
  ['more than a part', '{"statements":[],"more":1}\n'],
])('%s is refused, and left as it is', async (_what, content) => {
  const file = newFile()
  writeFileSync(file, content)
  await expect(openRejects(file)).rejects.toMatchObject({
    exit: 'usage',
    message: `--rejects: ${file} exists, and is no file that --rejects wrote; name another file`,
  })
  expect(readFileSync(file, 'utf8')).toBe(content)
})

test.each(['/dev/null', '/dev/full', '/'])('the file %s is refused for rejects', async (file) => {
  await expect(openRejects(file)).rejects.toMatchObject({ exit: 'usage', message: expect.stringContaining(file) })
})

test('a file that cannot be created is refused', async () => {
  await expect(openRejects('/absent/rejects.json')).rejects.toMatchObject({
    exit: 'usage',
    message: '--rejects: /absent/rejects.json cannot be written (ENOENT)',
  })
})

test('a file that cannot grow is a failure in a sentence, and is whole without the pair', () => {
  const file = newFile()
  const module = join(import.meta.dirname, '../../../client/target/rejects.ts')
  const script = `
    import { openRejects } from ${JSON.stringify(module)}
    const rejects = await openRejects(process.env.FILE)
    const pair = (id) => ({ statement: 'RETURN 1', parameters: { id }, metadata: null })
    await rejects.add(pair('a'))
    await rejects.add(pair('b'.repeat(4096))).catch((error) => console.log(error.exit, error.message))
    await rejects.add(pair('c'))
    await rejects.close()`
  // Files of at most 1,024 bytes: the second pair is written in part, then refused.
  const limited = `trap '' XFSZ; ulimit -f 1; exec "$0" --input-type=module -e "$1"`
  const { stdout } = spawnSync('bash', ['-c', limited, process.execPath, script], {
    env: { FILE: file },
    encoding: 'utf8',
  })
  expect(stdout).toBe(`usage --rejects: ${file} cannot be written (EFBIG); the same command continues when it can\n`)
  expect(idsIn(file)).toEqual(['a', 'c'])
})

test('a target that is not there leaves no file, so that the same command continues', async () => {
  const file = newFile()
  const part = JSON.stringify({ statements: [] })
  const words = ['replay', '-', '--to', 'bolt://127.0.0.1:9', '--on-error', 'collect', '--rejects', file]
  const state = ['--state', join(emptyDirectory(), 'state.json')]
  expect(await runCli([...words, ...state], {}, part)).toMatchObject({ code: 6 })
  expect(existsSync(file)).toBe(false)
  expect(await runCli([...words, ...state], {}, part)).toMatchObject({ code: 6 })
})

test('the packet itself is refused as the file for rejects', async () => {
  const file = newFile()
  await collect(file, 'a')
  const words = ['replay', file, '--to', 'bolt://127.0.0.1:9', '--on-error', 'collect', '--rejects', file]
  const { code, stderr } = await runCli([...words, '--state', join(emptyDirectory(), 'state.json')])
  const message = `error: --rejects: ${file} is the packet to replay; name another file\n`
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
  expect(idsIn(file)).toEqual(['a'])
})
