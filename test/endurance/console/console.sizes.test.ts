import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { browserFor } from '../../support/console/browser.ts'
import { ownService } from '../../support/programs/own-service.ts'

const { service, client } = await ownService({ env: { CONSOLE: 'on' } })
const { inBrowser, open } = await browserFor(service)
await client.post('/1.0/publish/large')

// Answers of the documented form, in place of the service's: to make such packets and models takes hours.
const labels = Array.from({ length: 10_000 }, (_, at) => `Label${at}<img src=x onerror=alert(1)>`)
const constraintOf = (label: string) => ({
  label,
  property: 'id',
  cypher: {
    3.5: `CREATE CONSTRAINT ON (n:\`${label}\`) …`,
    5: `CREATE CONSTRAINT IF NOT EXISTS FOR (n:\`${label}\`) …`,
  },
})
const counts = labels.map((label) => ({ kind: 'nodeUpsert', label, count: 1 }))
const nothing = { count: 0, first: [] }
const manifest = {
  packet: 'large/labels.json',
  generation: 1,
  jobId: '0'.repeat(36),
  createdAt: new Date().toISOString(),
  expiresAt: null,
  parameterSyntax: 'dollar',
  numbers: 'plain',
  pairs: 10_000,
  bytes: 1_000,
  statements: {},
  parts: [],
  sha256: '0'.repeat(64),
  base: null,
  shape: { counts, others: 0 },
  requires: { server: '3.5', constraints: labels.map(constraintOf) },
  report: { missing: { originIds: nothing, relationshipIds: nothing }, skipped: {}, collapsed: 0 },
}
const fileNames = Array.from({ length: 50_000 }, (_, at) => `file-${at}.json`)
const files = { fileNames, expiresAt: fileNames.map(() => null), next: null, error: null }
const properties = Array.from({ length: 5_000 }, (_, at) => ({ key: `property${at}`, dataType: 'String' }))
const nodeTypes = properties.map((property, at) => ({ key: `Type${at}`, properties: [{ ...property, unique: true }] }))
const grn = `grn:gg:managerversion:${'0'.repeat(44)}`

const model = { properties, nodeTypes, managerVersion: { name: 'large' } }
const modelPath = `/console/models/${encodeURIComponent(grn)}`
// Each with the names of the rows of its first table.
const pages = [
  ['a packet of 10,000 labels', '/console/packets/large/labels.json', '**/manifest?*', manifest, labels],
  ['an org of 50,000 files', '/console/packets/large', '**/files?*', files, fileNames],
  ['a model of 5,000 node types', modelPath, '**/manager/**', model, nodeTypes.map(({ key }) => key)],
] as const

/** The processor time that the page takes for some work, in milliseconds. */
async function processorTime(page: Page, work: () => Promise<void>): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const seconds = async () =>
    (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value as number
  const before = await seconds()
  await work()
  return ((await seconds()) - before) * 1_000
}

/** The button that shows more rows of the first table. */
const more = (page: Page) => page.locator('table').first().locator('+ button')

/** Waits until the first table has exactly these rows. */
async function shows(page: Page, names: readonly string[]): Promise<void> {
  const rows = page.locator('table').first().locator('tbody tr')
  await rows.nth(names.length - 1).waitFor({ timeout: 60_000 })
  expect(await rows.count()).toBe(names.length)
  expect(await rows.last().textContent()).toContain(names.at(-1))
}

inBrowser('sizes', () => {
  test.each(pages)(
    '%s is shown in little processor time, and the page stays in use',
    { timeout: 120_000 },
    async (_, path, route, body, names) => {
      const { page, problems, open: openPage } = await open()
      await openPage('/console/packets')
      await page.route(route, (it) => it.fulfill({ json: body }))
      const milliseconds = await processorTime(page, async () => {
        await page.evaluate(
          `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
        )
        await shows(page, names.slice(0, 1_000))
        await more(page).click()
        await shows(page, names.slice(0, 2_000))
      })
      console.log(`${path}: ${Math.round(milliseconds)} ms of processor time`)
      expect(milliseconds).toBeLessThan(5_000)
      for (let shown = 3_000; shown <= Math.min(names.length, 5_000); shown += 1_000) {
        expect(await more(page).textContent()).toBe(`Show 1,000 more of ${names.length.toLocaleString('en')}`)
        await more(page).click()
        await shows(page, names.slice(0, shown))
      }
      expect(await more(page).count()).toBe(names.length > 5_000 ? 1 : 0)
      await page.getByRole('link', { name: 'Jobs', exact: true }).click()
      await page.getByText('There were no jobs').waitFor({ timeout: 20_000 })
      expect(problems).toEqual([])
    },
  )
})
