import { expect, test } from 'vitest'
import { run } from '../../../dev/replay/neo4j.ts'
import { prepare } from '../../support/clients/e2e.ts'
import { browserFor, violationsOf } from '../../support/console/browser.ts'
import { modelWith } from '../../support/models/bound-model.ts'
import { ownService } from '../../support/programs/own-service.ts'

const { service, client } = await ownService({ workers: 0, env: { CONSOLE: 'on' } })
const token = service.tokens.all as string
const { inBrowser, open } = await browserFor(service)
const { fields, label, org, driver } = await prepare(3, service)
const hostile = `${label}<img src=x onerror=alert(1)>`
await run(driver, `MATCH (n:\`${label}\` {id: 'p3'}) SET n:\`${hostile}\``)

async function submit(fileName: string, more: object = {}): Promise<string> {
  const body = { ...fields, originIds: ['p1', 'p2'], orgName: org, fileName, ...more }
  const { headers } = await client.post('/1.0/publish/', body, { Prefer: 'respond-async' })
  return (headers.get('Location') as string).split('/').at(-1) as string
}

const worker = await service.startWorker()
const done = await submit('people.json')
const mappedIndices = { DEFAULT_INDEX: hostile, DEFAULT_ID_FIELD: 'id' }
const odd = await submit('hostile.json', { mappedIndices, index: undefined, originIds: ['p3'], relationships: [] })
const failed = await submit('failed.json', {
  mappedIndices: { DEFAULT_INDEX: label, DEFAULT_ID_FIELD: 'none' },
  index: undefined,
})
for (const id of [done, odd, failed]) await client.followJob(`/1.0/jobs/${id}`)
const inParts = [{ ...fields, originIds: ['p1', 'p2'], orgName: org, fileName: 'parts.json' }]
await client.post('/1.0/publish/multi?batchsize=1', [{ ...inParts[0], originIds: ['p1'] }])
await client.post('/1.0/publish/multi?batchsize=1&forceOverwrite=true', inParts)
await worker.stop(40_000)
const waiting = await submit('waiting.json')
const { version } = await modelWith(client, { Film: { title: ['String', 'unique'] } })

const pages = [
  ['jobs', '/console/jobs', 'Jobs, newest first'],
  ['a failed job', `/console/jobs/${failed}`, /The contract: no node has the label/],
  ['a waiting job', `/console/jobs/${waiting}`, 'Cancel the job'],
  ['orgs', '/console/packets', 'Orgs'],
  ['an org', `/console/packets/${org}`, 'people.json'],
  ['a packet', `/console/packets/${org}/people.json`, 'What a target needs'],
  ['models', '/console/models', 'Models'],
  ['publish', '/console/publish', 'Password of the origin'],
  ['operations', '/console/ops', 'Slots busy'],
  ['a model', `/console/models/${encodeURIComponent(version)}`, 'title (unique): String'],
  ['no page', '/console/nothing', 'No such page'],
] as const

inBrowser('in a browser', () => {
  test.each(pages)(
    '%s: nothing breaks a rule of accessibility or of the policy, light, dark and narrow',
    async (_, path, text) => {
      for (const options of [{}, { colorScheme: 'dark' }, { viewport: { width: 320, height: 800 } }] as const) {
        const { page, problems, open: openPage } = await open(options)
        await openPage(path)
        await page.getByText(text).first().waitFor()
        expect(await violationsOf(page)).toEqual([])
        expect(problems).toEqual([])
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      }
    },
  )

  test('a wrong token is refused and kept nowhere; the right one stays in the tab only if the user says so', async () => {
    const { page, open: openPage } = await open()
    await page.goto(`${service.apiUrl}/console/jobs`)
    await page.getByLabel('Token', { exact: true }).fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('does not accept this token').waitFor()
    const stored = () => page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])')
    expect(await stored()).toBe('[{},{},""]')
    await openPage('/console/jobs')
    expect([await stored(), page.url().includes(token), (await page.content()).includes(token)]).toEqual([
      '[{},{},""]',
      false,
      false,
    ])
    await page.reload()
    await page.getByLabel('Keep the token').check()
    await page.getByLabel('Token', { exact: true }).fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Sign out' }).click()
    expect(await stored()).toBe('[{},{},""]')
  })

  test('jobs are found by org, state, part of a name and time; equal errors are one row; several are cancelled at once', async () => {
    const { page, problems, open: openPage } = await open()
    await openPage('/console/jobs')
    await page.getByLabel('Org', { exact: true }).fill(` ${org} `)
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('link', { name: 'failed 1' }).click()
    await page.getByRole('link', { name: `${org}/failed.json` }).waitFor()
    expect(await page.getByText('people.json').count()).toBe(0)
    expect(new URL(page.url()).search).toBe(`?org=${encodeURIComponent(org)}&state=failed`)
    await page.getByText('Why 1 job failed: 1 cause').click()
    await page.getByRole('link', { name: 'the newest job' }).click()
    await page.getByText('The contract: no node has the label').waitFor()
    await page.goBack()
    await page.getByLabel('Submitted').selectOption('yesterday')
    await page.getByText('No job of the last seven days fits the filter.').waitFor()
    await page.getByLabel('Submitted').selectOption('hour')
    await page.getByRole('link', { name: /^all / }).click()
    await page.getByLabel('Name or id has').fill('PEOPLE')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('link', { name: 'all 1', exact: true }).waitFor()
    expect(await page.locator('tbody tr').count()).toBe(1)
    await page.getByLabel('Org', { exact: true }).fill('no-such-org')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByText('No job of the last seven days fits the filter.').waitFor()

    const some = [await submit('some-a.json'), await submit('some-b.json')]
    await openPage(`/console/jobs?q=some-&state=open`)
    for (const name of ['some-a.json', 'some-b.json']) await page.getByLabel(`Select ${org}/${name}`).check()
    await page.getByRole('button', { name: 'Cancel 2 jobs' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel 2 jobs' }).click()
    await page.getByText('No job of the last seven days fits the filter.').waitFor()
    for (const id of some) expect((await client.get<{ state: string }>(`/1.0/jobs/${id}`)).body.state).toBe('cancelled')
    expect(problems).toEqual([])
  })

  test('the files of an org are found by the start of their names', async () => {
    const { page, open: openPage } = await open()
    await openPage(`/console/packets/${org}`)
    const row = page.getByRole('row').filter({ hasText: 'people.json' })
    await row.getByText(/ ago, [\d.]+ (?:bytes|kB)$/).waitFor()
    await page.getByLabel('Name begins with').fill('host')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: 'people.json' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'hostile.json' }).waitFor()
    await page.getByLabel('anywhere in the name').check()
    await page.getByLabel('Name has').fill('eople')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: 'people.json' }).waitFor()
    expect(await page.getByRole('link', { name: 'hostile.json' }).count()).toBe(0)
    await openPage('/console/packets/no-such-org')
    await page.getByText('There is no org of this name, or this token may not see it').waitFor()
  })

  test('each part of a packet is downloaded by its own button', async () => {
    const { page, open: openPage } = await open()
    const { body } = await client.get<{ fileLocations: string[] }>(`/1.0/publish/${org}/parts.json/url`)
    const paths = body.fileLocations.map((url) => new URL(url).pathname)
    expect(new Set(paths).size).toBeGreaterThan(1)
    await openPage(`/console/packets/${org}/parts.json`)
    await page.getByText(/^It replaced a packet of \d+ pairs and .* Its content was different\.$/).waitFor()
    await page.getByRole('columnheader', { name: 'Before', exact: true }).waitFor()
    await page.getByText('Statements, with values of properties').click()
    await page
      .getByText(/^MERGE/)
      .first()
      .waitFor()
    const all: string[] = []
    page.on('download', (download) => all.push(new URL(download.url()).pathname))
    await page.getByRole('button', { name: /^Download all/ }).click()
    await expect.poll(() => all, { timeout: 30_000 }).toEqual(paths)
    for (const [at, path] of paths.entries()) {
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: `Download parts.jsonPart${at + 1}of${paths.length}` }).click()
      expect(new URL((await download).url()).pathname).toBe(path)
    }
  })

  test('a name that looks like markup is text', async () => {
    const { page, problems, open: openPage } = await open()
    await openPage(`/console/packets/${org}/hostile.json`)
    await page.getByRole('cell', { name: hostile }).first().waitFor()
    const picture = "document.querySelector('figure img')"
    expect(await page.evaluate(`${picture}.decode().then(() => ${picture}.naturalWidth > 0)`)).toBe(true)
    expect(problems).toEqual([])
  })

  test('a list stays on the page, marked stale, while the service fails', async () => {
    const { page, open: openPage } = await open()
    await openPage('/console/jobs')
    await page.getByText('people.json').waitFor()
    await page.route('**/1.0/jobs?*', (route) => route.abort())
    await page.getByText('trying again').waitFor()
    expect(await page.getByText('people.json').isVisible()).toBe(true)
    await page.unroute('**/1.0/jobs?*')
    await page.getByText('trying again').waitFor({ state: 'detached' })
  })

  test('after fifty visits of a job, one event stream is open at most', async () => {
    const id = await submit('followed.json')
    const { page, open: openPage } = await open()
    const streams = new Set<object>()
    page.on('request', (request) => request.url().endsWith('/events') && streams.add(request))
    page.on('requestfailed', (request) => streams.delete(request))
    page.on('requestfinished', (request) => streams.delete(request))
    await openPage('/console/jobs')
    for (let visit = 0; visit < 50; visit++) {
      await page.getByRole('link', { name: `${org}/followed.json` }).click()
      await page.getByRole('heading', { name: 'Job ' }).waitFor()
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Jobs' }).click()
      await page.getByRole('heading', { name: 'Jobs' }).waitFor()
    }
    await expect.poll(() => streams.size, { timeout: 10_000 }).toBeLessThanOrEqual(1)
    await client.post(`/1.0/jobs/${id}/cancel`)
  })
})
