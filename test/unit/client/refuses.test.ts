import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { emptyDirectory, runCli, spawnCli } from '../../support/clients/cli.ts'
import { startFakeService } from '../../support/servers/fake-service.ts'

const part = JSON.stringify({ statements: [] })
const nowhere = { PACKETS_URL: 'http://127.0.0.1:1', PACKETS_TOKEN: 'the-token' }
const to = 'bolt://127.0.0.1:1'

/** A directory with a part, and the paths of it and of a file that does not exist yet. */
function files() {
  const directory = emptyDirectory()
  const packet = join(directory, 'p.json')
  writeFileSync(packet, part)
  return { directory, packet, other: join(directory, 'other') }
}

test.each([
  ['an address with a path', ['--to', `${to}/people`], '--to: must be bolt://host or neo4j://host without a path'],
  ['an empty database', ['--to', to, '--database', ''], '--database: must not be empty'],
  ['an empty state file', ['--to', to, '--state', ''], '--state: must name a file'],
])('a replay into %s is refused', async (_what, words, message) => {
  const { code, stderr } = await runCli(['replay', files().packet, ...words])
  expect([code, stderr]).toEqual([2, expect.stringContaining(`error: ${message}`)])
})

test.each(['?a=b', '#a'])('an address of the service with %s is refused', async (more) => {
  const variables = { ...nowhere, PACKETS_URL: `http://127.0.0.1:1/${more}` }
  expect(await runCli(['ls', 'acme'], variables)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('must not hold a query or fragment'),
  })
})

test.each(['.', '..', ''])('"%s" is no name that could lead to another path of the service', async (name) => {
  const { variables, requests } = await startFakeService(() => ({ status: 200, body: {} }))
  expect(await runCli(['model', name], variables)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`error: "${name}" names nothing at the service`),
  })
  expect(requests).toEqual([])
})

test('a pipe is refused, as a packet and as a part, and is not waited for', async () => {
  const { directory, packet } = files()
  execFileSync('rm', [packet])
  execFileSync('sh', ['-c', `mkfifo "${packet}"`])
  expect(await runCli(['inspect', packet])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is neither a file nor a directory; send a stream to standard input'),
  })
  expect(await runCli(['inspect', directory])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('p.json is no regular file'),
  })
})

test.each(['3', '50000000', '999999999999'])('a part of %s alone in its directory is refused', async (of) => {
  const { directory, packet } = files()
  writeFileSync(join(directory, `q.jsonPart1of${of}`), part)
  execFileSync('rm', [packet])
  const { code, stderr } = await runCli(['inspect', directory])
  expect([code, stderr]).toEqual([5, `error: part 2 of ${of} (q.jsonPart2of${of}): it is missing\n`])
})

test('ids that are not UTF-8 are refused instead of changed', async () => {
  const { other, packet } = files()
  writeFileSync(packet, '{}')
  writeFileSync(other, Buffer.from([0x61, 0xff, 0x0a]))
  const variables = { ...nowhere, PACKETS_ORIGIN_URL: to, PACKETS_ORIGIN_USER: 'a', PACKETS_ORIGIN_PASSWORD: 'b' }
  const refusal = (option: string) => ({
    code: 2,
    stderr: expect.stringContaining(`error: ${option}${other} must be UTF-8`),
  })
  expect(await runCli(['publish', packet, '--ids', other], variables)).toMatchObject(refusal('--ids: '))
  expect(await runCli(['publish', other], variables)).toMatchObject(refusal(''))
})

test('a copy does not overwrite a file that it did not write', async () => {
  const { openCopyKey } = await import('../../../client/target/copy-key.ts')
  const { other } = files()
  const options = { lanes: 'auto', batch: 1, state: other } as const
  writeFileSync(`${other}.copy`, 'mine')
  for (const restart of [undefined, true] as const) {
    await expect(openCopyKey([], { ...options, ...(restart ? { restart } : {}) })).rejects.toMatchObject({
      exit: 'usage',
      message: `${other}.copy is no file that copy wrote; name another one with --state`,
    })
  }
  expect(readFileSync(`${other}.copy`, 'utf8')).toBe('mine')
  writeFileSync(`${other}.copy`, '')
  const sent: string[] = []
  const isLost = async (key: string) => {
    sent.push(key)
    throw new Error('no answer')
  }
  for (const _ of [1, 2]) await expect((await openCopyKey([], options)).publish(isLost)).rejects.toThrow('no answer')
  expect(sent).toEqual([sent[0], sent[0]])
})

test('a result that cannot be written is exit code 1 and one line', async () => {
  const { packet } = files()
  const program = join(import.meta.dirname, '../../../client/main.ts')
  const script = `"${process.execPath}" "${program}" inspect "${packet}" > /dev/full; echo $?`
  const shell = execFileSync('sh', ['-c', `{ ${script}; } 2>&1`], { encoding: 'utf8' })
  expect(shell).toBe('error: the result cannot be written (ENOSPC)\n1\n')
  expect(await spawnCli(['inspect', packet])).toMatchObject({ code: 0 })
})
