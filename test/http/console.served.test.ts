import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, inject, test } from 'vitest'
import { serveConsole } from '../../api/http/pages/console.ts'
import { documentedErrors, runbook } from '../../dev/tools/build-console.ts'
import { ownService } from '../support/programs/own-service.ts'

const { service } = await ownService({ env: { CONSOLE: 'on' } })
const empty = mkdtempSync(join(tmpdir(), 'console-'))
afterAll(() => rmSync(empty, { recursive: true }))
const get = (path: string) => fetch(service.apiUrl + path)

/** The addresses of files in a text of the page or of one of its files. */
const filesIn = (text: string) => [...text.matchAll(/\/console\/assets\/[\w.-]+/g)].map(([path]) => path)

test('the address of the service alone leads to it', async () => {
  const { status, headers } = await fetch(service.apiUrl, { redirect: 'manual' })
  expect([status, headers.get('Location')]).toEqual([302, '/console'])
})

test('every path is the same page, never kept, under the strict policy', async () => {
  const first = await get('/console')
  const page = await first.text()
  for (const path of ['/console/', '/console/jobs?state=open', '/console/packets/a%2Fb/c%20d.json']) {
    const answer = await get(path)
    expect([answer.status, answer.headers.get('Cache-Control'), await answer.text()]).toEqual([200, 'no-store', page])
    const policy = answer.headers.get('Content-Security-Policy')
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).toContain("require-trusted-types-for 'script'")
  }
  expect(page).not.toMatch(/<script(?! type="module" src=)|style=|https?:/)
})

test('its files may be kept for ever, and what the page loads first is at most 45 KB, compressed', async () => {
  const page = await (await get('/console')).text()
  let bytes = gzipSync(page).length
  const loaded = new Set(filesIn(page))
  expect(loaded.size).toBe(2)
  for (const path of loaded) {
    const answer = await get(path)
    expect([answer.status, answer.headers.get('Cache-Control')]).toEqual([200, 'public, max-age=31536000, immutable'])
    const text = await answer.text()
    bytes += gzipSync(text, { level: 9 }).length
    // What is imported at once; pages that are opened later are imported by `import(…)`.
    for (const [, name] of text.matchAll(/(?:from|import)"\.\/([\w.-]+)"/g)) loaded.add(`/console/assets/${name}`)
  }
  expect(loaded.size).toBeGreaterThan(3)
  expect(bytes).toBeLessThan(45_000)
  expect((await get('/console/assets/none.js')).status).toBe(404)
})

test('every error of the contract is explained in the console', () => {
  const errors = documentedErrors()
  expect(Object.keys(errors).length).toBeGreaterThan(70)
  expect(errors.workerLost).toMatch(/^the job lost three workers/)
  expect(Object.values(errors).filter((text) => /[[\]`|]/.test(text))).toEqual([])
  // What a worker or an origin does wrong needs advice beyond the contract's.
  for (const code of ['workerLost', 'internal', 'storeAway', 'jobTimedOut', 'originUnreachable', 'callback'])
    expect([code, runbook()[code]]).toEqual([code, expect.stringMatching(/^[^[\]\n]{20,400}$/)])
})

test('without the setting nothing is served', async () => {
  expect((await fetch(`${inject('service').apiUrl}/console`)).status).toBe(404)
})

test('a console that is not built is an error at the start', () => {
  expect(() => serveConsole(empty)).toThrow('run `npm run build:console`')
  writeFileSync(join(empty, 'index.html'), '<script src="/console/assets/main-1.js"></script>')
  expect(() => serveConsole(empty)).toThrow('run `npm run build:console`')
  writeFileSync(join(empty, 'main-1.js'), '')
  expect(() => serveConsole(empty)).not.toThrow()
})
