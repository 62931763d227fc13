import { execFile, spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { npm } from '../../support/programs/npm.ts'

const hasCurl = spawnSync('curl', ['--version']).status === 0
const ownCurl = `curl() { node '${join(import.meta.dirname, '../../support/clients/curl.ts')}' "$@"; }\n`

/** Pastes a line into a shell. */
async function paste(line: string): Promise<string> {
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`
  const { stdout } = await promisify(execFile)('sh', ['-c', (hasCurl ? '' : ownCurl) + line], { env: { PATH } })
  return stdout
}

test('the demo ends well in an environment without a locale', async () => {
  await using demo = npm(['run', 'demo'])
  expect({ code: await demo.exitCode, output: demo.output() }).toEqual({
    code: 0,
    output: expect.stringMatching(/^compared: .* equal$/m),
  })
}, 300_000)

test('npm start in an environment without a locale prints a line that publishes, and stops at Ctrl-C', async () => {
  await using start = npm(['start', '--', '--workers', '1'])
  const line = await start.line('try:')
  expect(JSON.parse(await paste(line))).toMatchObject({ error: null, fileLocation: expect.stringContaining('http') })
  start.interrupt()
  await start.exitCode
  expect(start.output()).toMatch(/^stopping$/m)
}, 300_000)
