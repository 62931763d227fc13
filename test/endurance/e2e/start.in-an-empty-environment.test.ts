import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { npm } from '../../support/programs/npm.ts'

const root = join(import.meta.dirname, '../../..')
const hasCurl = spawnSync('curl', ['--version']).status === 0
const ownCurl = `curl() { node '${join(import.meta.dirname, '../../support/clients/curl.ts')}' "$@"; }\n`

/** Pastes a line into a shell. */
async function paste(line: string): Promise<string> {
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`
  const { stdout } = await promisify(execFile)('sh', ['-c', (hasCurl ? '' : ownCurl) + line], {
    cwd: root,
    env: { PATH },
  })
  return stdout
}

test('the demo ends well in an environment without a locale', async () => {
  await using demo = npm(['run', 'demo'])
  expect({ code: await demo.exitCode, output: demo.output() }).toEqual({
    code: 0,
    output: expect.stringMatching(/^compared: .* equal$/m),
  })
}, 600_000)

test('npm start in an environment without a locale prints lines that work, and stops at Ctrl-C', async () => {
  await using start = npm(['start', '--', '--workers', '1', '--target'])
  const published = { error: null, fileLocation: expect.stringContaining('http') }
  expect(JSON.parse(await paste(await start.line('try:')))).toMatchObject(published)
  const listed = `${await start.line('packets:')}; '${process.execPath}' client/main.ts ls demo`
  expect(await paste(listed)).toContain('first.json')
  expect(await start.line('target:')).toMatch(/^bolt:.*: empty$/)
  await using directory = await mkdtempDisposable(join(tmpdir(), 'start-'))
  const copy = `copy --select Airport --org demo --name all.json --state '${join(directory.path, 'copy')}'`
  const to = '--to "$TARGET" --user neo4j --create-constraints --progress none'
  const copied = `${await start.line('packets:')}; '${process.execPath}' client/main.ts ${copy} ${to}`
  expect(await paste(copied)).toContain('the target agrees')

  // The sample is now a person's own graph in a database that the environment names.
  const { neo4j } = JSON.parse(readFileSync(join(root, '.local/stack.json'), 'utf8'))
  await using driver = openDriver(neo4j)
  await run(driver, "MATCH (a:Airport {iata: 'SEA'}) SET a.note = 'keep me'")
  const given = { NEO4J_URL: neo4j.boltUrl, NEO4J_USER: neo4j.username, NEO4J_PASSWORD: neo4j.password }
  {
    await using other = npm(['start', '--', '--workers', '1'], given)
    expect(JSON.parse(await paste(await other.line('try:')))).toMatchObject(published)
    expect(await other.line('origin:')).toContain('not empty, so nothing was written to it')
  }
  await using named = npm(['start', '--', '--workers', '0', '--load-sample'], given)
  expect(await named.line('origin:')).toContain('3376 airports')
  expect(await run(driver, "MATCH (a:Airport {iata: 'SEA'}) RETURN a.note, a.city")).toEqual([['keep me', 'Seattle']])

  start.interrupt()
  await start.exitCode
  expect(start.output()).toMatch(/^stopping$/m)
}, 600_000)
