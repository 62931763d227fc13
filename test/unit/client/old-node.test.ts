import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const directory = mkdtempSync(join(tmpdir(), 'old-node-'))
const bundle = join(directory, 'packets.mjs')
beforeAll(() => {
  execFileSync(process.execPath, [join(import.meta.dirname, '../../../dev/tools/build-cli.ts'), bundle])
})
afterAll(() => rmSync(directory, { recursive: true }))

/** Runs the client, as one file, on a Node.js that claims this version and has not what later ones have. */
function on(version: string, ...words: string[]) {
  const preload = join(directory, `${version}.cjs`)
  writeFileSync(
    preload,
    `Object.defineProperty(process.versions, 'node', { value: '${version}' })
    delete require('node:crypto').hash
    delete Promise.withResolvers`,
  )
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--require', preload, bundle, ...words], {
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

test.each(['22.11.0', '20.20.2', '18.20.8'])(
  'the client as one file refuses Node.js %s before it does anything',
  (version) => {
    const stderr = `error: packets needs Node.js 22.12 or later, this is ${version}\n`
    expect(on(version, '--help')).toEqual({ status: 2, stdout: '', stderr })
    expect(on(version, 'publish', 'request.json')).toEqual({ status: 2, stdout: '', stderr })
  },
)

test.each(['22.12.0', '24.0.0', '100.1.0'])('the client as one file runs on Node.js %s', (version) => {
  expect(on(version, '--help')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Usage: packets'),
    stderr: '',
  })
})
