import { spawnSync } from 'node:child_process'
import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { createClient } from '../../dev/client.ts'
import { ownService } from '../support/programs/own-service.ts'

const root = join(import.meta.dirname, '../..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { token: string } }

/** Runs what `npm run token` runs after its install step. */
function newToken(...options: string[]) {
  const [program = '', ...script] = (scripts.token.split(' && ').at(-1) as string).split(' ')
  const { status, stdout, stderr } = spawnSync(program, [...script, ...options], { cwd: root, encoding: 'utf8' })
  return { status, stdout, stderr }
}

const usage = 'usage: npm run token -- --name <name> --org <org> [--org …] --scope <scope> [--scope …]\n'
const scopes = 'publish:read, publish:write, manager:read, manager:write, search:read, ops:read, ops:write'
const given = ['--name', 'ann', '--org', 'acme', '--scope', 'publish:read']

test('a new token works exactly while its entry is in the tokens file', async () => {
  const { service, client } = await ownService()
  const { status, stdout, stderr } = newToken(...given, '--scope', 'publish:write', '--org', 'beta/team')
  const [, token = '', entry = ''] =
    /shown only here:\n([\w-]{43})\n\n.*AUTH_TOKENS names:\n(\{.*\})\n$/.exec(stdout) ?? []
  expect([status, stderr, JSON.parse(entry)]).toEqual([
    0,
    '',
    {
      name: 'ann',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      orgs: ['acme', 'beta/team'],
      scopes: ['publish:read', 'publish:write'],
    },
  ])
  const ann = createClient(service.apiUrl, token)
  const statusOf = async (path: string) => (await ann.post(path)).status
  expect(await statusOf('/1.0/publish/acme')).toBe(401)

  const tokensFile = service.env.AUTH_TOKENS as string
  const before = readFileSync(tokensFile, 'utf8')
  rewrite(tokensFile, JSON.stringify([...JSON.parse(before), JSON.parse(entry)]), 1)
  await vi.waitFor(async () => expect(await statusOf('/1.0/publish/acme')).toBe(200), { timeout: 20_000 })
  expect([await statusOf('/1.0/publish/beta%2Fteam'), await statusOf('/1.0/publish/beta')]).toEqual([200, 404])
  expect((await ann.get('/1.0/manager/name/none')).status).toBe(403)

  rewrite(tokensFile, before, 2)
  await vi.waitFor(async () => expect(await statusOf('/1.0/publish/acme')).toBe(401), { timeout: 20_000 })
  expect((await client.get('/1.0/publish/status')).status).toBe(200)
})

/** Sets a distinct modification time, whatever the resolution of the file system. */
function rewrite(path: string, text: string, secondsLater: number) {
  writeFileSync(path, text)
  const time = new Date(Date.now() + secondsLater * 1_000)
  utimesSync(path, time, time)
}

test.each<[string, string[], string]>([
  ['nothing', [], `--name is required\n--org is required; * is all orgs\n--scope is required\n`],
  ['no org', ['--name', 'ann', '--scope', 'publish:read'], '--org is required; * is all orgs\n'],
  ['an empty name', ['--name=', '--org', 'a', '--scope', 'search:read'], '--name is required\n'],
  ['an unknown scope', [...given, '--scope', 'all'], `--scope must be one of ${scopes}\n`],
  ['a reserved org', [...given, '--org', 'status'], '--org: must not start with the reserved name status\n'],
  ['an unknown option', [...given, '--orgs', 'a'], "Unknown option '--orgs'"],
  ['a stray word', [...given, 'beta'], "Unexpected argument 'beta'"],
])('refuses %s with a clear message, with exit code 1 and no token', (_what, options, message) => {
  const { status, stdout, stderr } = newToken(...options)
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr.startsWith(message)).toBe(true)
  expect(stderr.endsWith(usage)).toBe(true)
  expect(stderr).not.toMatch(/\n {4}at /)
})
