import { expect, test } from 'vitest'
import { emptyDirectory, runCli, spawnCli } from '../../support/clients/cli.ts'
import { textOf } from '../../support/documents/manifests.ts'

test.each(['bash', 'zsh', 'fish'])('a script completes every command in %s', async (shell) => {
  const { code, stdout } = await runCli(['--completion', shell])
  expect(code).toBe(0)
  for (const word of ['publish', 'verify', 'create-constraints', 'omit']) expect(stdout).toContain(word)
})

const missing = 'error: the address of the service is missing: set PACKETS_URL or pass --url\n'

test.each([
  [['get'], "error: missing required argument 'source'\nusage: packets get [options] <source>\n"],
  [['ls', 'acme', '--unknown'], "error: unknown option '--unknown'\nusage: packets ls [options] [org] [prefix...]\n"],
  [['ls', 'acme'], `${missing}usage: packets ls [options] [org] [prefix...]\n`],
  [
    ['job', 'a', '--follow', '--cancel'],
    "error: option '--cancel' cannot be used with option '--follow'\nusage: packets job [options] <id>\n",
  ],
  [['job', 'a', '--progress', 'none'], 'error: --progress is for --follow only\nusage: packets job [options] <id>\n'],
  [
    ['replay', 'x', '--to', 'bolt://127.0.0.1:9', '--in-order', '--lanes', '2'],
    'error: --in-order: needs one lane\nusage: packets replay [options] <source>\n',
  ],
  [
    ['replay', 'x', '--to', 'bolt://127.0.0.1:9', '--dry-run', '--restart'],
    "error: option '--dry-run' cannot be used with option '--restart'\nusage: packets replay [options] <source>\n",
  ],
  [['undo', 'a'], "error: unknown command 'undo'\nusage: packets <command>; packets --help lists the commands\n"],
])('%j is refused with exit code 2 and the usage', async (words, stderr) => {
  expect(await runCli(words)).toEqual({ code: 2, stdout: '', stderr })
})

test.each(['0', '-1', '1.5', 'x', ''])('a limit of %j is refused', async (limit) => {
  const { code, stderr } = await runCli(['ls', 'acme', '--limit', limit])
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('must be a whole number from 1') })
})

test.each(['0', '1.1', '-0.5', 'half', ''])('a sample of %j is refused', async (sample) => {
  const { code, stderr } = await runCli(['verify', 'x', '--to', 'bolt://127.0.0.1:9', '--sample', sample])
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('must be a number above 0') })
})

test.each(['ftp://host', 'host:80', 'http://user:secret@host'])('a service at %s is refused', async (url) => {
  const { code, stderr } = await runCli(['ls', 'acme'], { PACKETS_URL: url, PACKETS_TOKEN: 'x' })
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the address of the service must'),
  })
  expect(stderr).not.toContain('secret')
})

test('a token of several lines is refused, and not shown', async () => {
  const { code, stderr } = await runCli(['ls', 'acme'], {
    PACKETS_URL: 'http://127.0.0.1:9',
    PACKETS_TOKEN: 'one\ntwo',
  })
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.not.stringContaining('two') })
})

test('the version is that of the project', async () => {
  const { version } = JSON.parse(textOf('package.json'))
  expect(await runCli(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test('help goes to stdout, and is a success', async () => {
  const { code, stdout } = await runCli(['job', '--help'])
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: packets job') })
})

test('a reader that closes the pipe causes no crash', async () => {
  const ended = await spawnCli(['--help'], {}, { during: (child) => child.stdout?.destroy() })
  expect(ended).toMatchObject({ code: 0, stderr: '' })
})

test.each([
  'bolt://host?token=s3cret',
  'bolt+s://host/?token=s3cret',
  'neo4j://host?s3cret',
  'neo4j://host?s3cret=',
  'BOLT://host?token=s3cret',
])('a target at %s is refused, and not shown', async (to) => {
  const { code, stdout, stderr } = await runCli(['replay', '-', '--to', to])
  const message =
    'error: --to: must be bolt://host or neo4j://host without a path, also with +s or +ssc; a query is for neo4j only, as name=value\n'
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(message) })
  expect(stderr).not.toContain('s3cret')
})

test('a state file that is a directory is refused', async () => {
  const state = emptyDirectory()
  const words = ['replay', '-', '--to', 'bolt://127.0.0.1:9', '--state', state]
  const { code, stderr } = await runCli(words, {}, '{"statements":[]}')
  const message = `error: --state: ${state} is a directory; name a file\n`
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
})
