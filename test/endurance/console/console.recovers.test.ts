import { expect, test } from 'vitest'
import { prepare } from '../../support/clients/e2e.ts'
import { browserFor } from '../../support/console/browser.ts'
import { ownService } from '../../support/programs/own-service.ts'

const { service, client } = await ownService({
  workers: 0,
  env: { CONSOLE: 'on' },
  tokens: [{ name: 'writer', orgs: ['*'], scopes: ['publish:write'] }],
})
const { inBrowser, open } = await browserFor(service)
const { fields, org } = await prepare(2, service)
const broken = { type: 'x', title: 'Internal Server Error', status: 500, detail: 'it broke' }

async function submit(fileName: string): Promise<string> {
  const body = { ...fields, originIds: ['p1'], orgName: org, fileName }
  const { headers } = await client.post('/1.0/publish/', body, { Prefer: 'respond-async' })
  return (headers.get('Location') as string).split('/').at(-1) as string
}

inBrowser('the console', () => {
  test('follows a job only while its tab is visible, and continues when it is visible again', async () => {
    const id = await submit('hidden.json')
    const { page, open: openPage } = await open()
    const streams = new Set<unknown>()
    page.on('request', (request) => request.url().endsWith('/events') && streams.add(request))
    page.on('requestfailed', (request) => streams.delete(request))
    page.on('requestfinished', (request) => streams.delete(request))
    await openPage(`/console/jobs/${id}`)
    await page.getByText('queued').first().waitFor()
    await expect.poll(() => streams.size).toBe(1)
    const turn = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`)
    await turn(true)
    await expect.poll(() => streams.size).toBe(0)
    await client.post(`/1.0/jobs/${id}/cancel`)
    await turn(false)
    await page.getByText('cancelled').first().waitFor()
  })

  test('asks for a job again by itself after a 500', async () => {
    const id = await submit('once.json')
    const { page, open: openPage } = await open()
    let isBroken = false
    await page.route('**/1.0/jobs/**', (route) => {
      if (isBroken) return route.fulfill({ status: 500, json: broken })
      return route.request().url().endsWith('/events') ? route.fulfill({ status: 503, body: '' }) : route.continue()
    })
    await openPage(`/console/jobs/${id}`)
    await page.getByText('queued').first().waitFor()
    isBroken = true
    await page.locator('.stale').waitFor({ timeout: 15_000 })
    isBroken = false
    await client.post(`/1.0/jobs/${id}/cancel`)
    await page.getByText('cancelled').first().waitFor({ timeout: 15_000 })
  })

  test('shows a page that failed once when it is opened again', async () => {
    const { page, open: openPage } = await open()
    await openPage('/console/jobs')
    await page.route('**/1.0/orgs?*', (route) => route.fulfill({ json: {} }))
    await page.getByRole('link', { name: 'Packets', exact: true }).click()
    await page.getByText('This page cannot be shown').waitFor()
    await page.unroute('**/1.0/orgs?*')
    await page.getByRole('link', { name: 'Jobs', exact: true }).click()
    await page.getByText('Jobs, newest first').waitFor()
    await page.getByRole('link', { name: 'Packets', exact: true }).click()
    await page.getByRole('heading', { name: 'Packets' }).waitFor()
  })

  test('works in a browser that blocks storage', async () => {
    const { page, open: openPage } = await open()
    await page.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(globalThis, name, {
          get() {
            throw new DOMException('denied', 'SecurityError')
          },
        })
    })
    await openPage('/console/jobs')
    await page.getByText('Jobs, newest first').waitFor()
  })

  test('keeps the focus in the filter that the arrow keys change', async () => {
    const { page, open: openPage } = await open()
    await openPage('/console/jobs')
    await page.getByText('Jobs, newest first').waitFor()
    await page.getByLabel('Submitted').focus()
    for (let presses = 0; presses < 3; presses++) {
      await page.keyboard.press('ArrowDown')
      await page.waitForTimeout(100)
    }
    expect(await page.getByLabel('Submitted').inputValue()).toBe('yesterday')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('SELECT')
  })

  test('breaks long words, on a narrow screen', async () => {
    const id = await submit(`${'x'.repeat(190)}.json`)
    const { page, open: openPage } = await open({ viewport: { width: 360, height: 740 } })
    await page.route(`**/1.0/jobs/${id}`, async (route) => {
      const answer = await route.fetch()
      const error = { status: 422, code: 'nothingThere', message: `originIds: ${'n'.repeat(300)}` }
      await route.fulfill({ json: { ...(await answer.json()), state: 'failed', error } })
    })
    await openPage(`/console/jobs/${id}`)
    await page.getByText('nothingThere').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  })

  test('shows something while the token of the tab is checked', async () => {
    const { page } = await open()
    await page.goto(`${service.apiUrl}/console/jobs`)
    await page.getByLabel('Keep the token').check()
    await page.getByLabel('Token', { exact: true }).fill(service.tokens.all as string)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await page.route('**/whoami', () => {})
    await page.reload()
    await page.getByText('has not yet checked the token').waitFor()
  })

  test('says that a publish was accepted where the token may not see its job', async () => {
    const { page, open: openPage } = await open({}, service.tokens.writer as string)
    await openPage('/console/publish')
    const request = JSON.stringify({ ...fields, originIds: ['p1'], orgName: org, fileName: 'unseen.json' })
    await page.getByLabel('Request, or a list').fill(request)
    await page.getByRole('button', { name: 'Dry run' }).click()
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.getByText('The service accepted the publish as the job').waitFor()
  })

  test('shows characters that turn the direction of text as escapes', async () => {
    const id = await submit('turned.json')
    const { page, open: openPage } = await open()
    const { body } = await client.get<object>(`/1.0/jobs/${id}`)
    await page.route('**/1.0/jobs/**', (route) => {
      if (route.request().url().endsWith('/events')) return route.fulfill({ status: 503, body: '' })
      return route.fulfill({ json: { ...body, fileName: 'a\u202Egnp.json' } })
    })
    await openPage(`/console/jobs/${id}`)
    await page.getByRole('heading', { name: 'a\\u202egnp.json' }).waitFor()
    await page.getByRole('button', { name: 'Cancel the job' }).click()
    await page.getByRole('dialog').getByText('a\\u202egnp.json').waitFor()
  })

  test('stays in a dialog until the service has answered, and shows what went wrong', async () => {
    const id = await submit('escape.json')
    const { page, open: openPage } = await open()
    await openPage(`/console/jobs/${id}`)
    await page.route('**/cancel', async (route) => {
      await page.waitForTimeout(1_000)
      await route.fulfill({ status: 500, json: broken })
    })
    await page.getByRole('button', { name: 'Cancel the job' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the job' }).click()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.getByText('it broke').waitFor()
  })
})
