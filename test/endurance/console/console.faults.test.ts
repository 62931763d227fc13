import { afterAll, expect, onTestFinished, test } from 'vitest'
import { prepare } from '../../support/clients/e2e.ts'
import { browserFor } from '../../support/console/browser.ts'
import { ownRedis } from '../../support/faults/own-redis.ts'
import { ownService } from '../../support/programs/own-service.ts'
import { audience, inSeconds, issuer, startIdentityProvider } from '../../support/servers/identity-provider.ts'

const identity = await startIdentityProvider()
afterAll(identity.stop)
const redis = await ownRedis((end) => afterAll(end))
const { service, client } = await ownService({
  tokens: [{ name: 'reader', orgs: ['*'], scopes: ['publish:read'] }],
  env: {
    CONSOLE: 'on',
    REDIS_URL: redis.address.url,
    AUTH_JWKS_URL: identity.jwksUrl,
    AUTH_ISSUER: issuer,
    AUTH_AUDIENCE: audience,
  },
})
const { inBrowser, open } = await browserFor(service)
const { fields, org } = await prepare(2, service)

async function submit(fileName: string): Promise<string> {
  const body = { ...fields, originIds: ['p1'], orgName: org, fileName }
  const { headers } = await client.post('/1.0/publish/', body, { Prefer: 'respond-async' })
  return (headers.get('Location') as string).split('/').at(-1) as string
}

inBrowser('the console', () => {
  test('keeps a job and the overview on the page while Redis is stopped, and follows both when it is back', async () => {
    const id = await submit('through-an-outage')
    const [job, operations] = [await open(), await open()]
    await job.open(`/console/jobs/${id}`)
    await job.page.getByText('queued').first().waitFor()
    await operations.open('/console/ops')
    await operations.page.getByText('Slots busy', { exact: true }).waitFor()
    redis.freeze()
    onTestFinished(() => redis.wake())
    await operations.page.getByText('Redis does not answer').waitFor({ timeout: 20_000 })
    expect(await job.page.getByText('queued').first().isVisible()).toBe(true)
    redis.wake()
    await operations.page.getByText('Slots busy', { exact: true }).waitFor({ timeout: 20_000 })
    await client.post(`/1.0/jobs/${id}/cancel`)
    await job.page.getByText('cancelled').first().waitFor({ timeout: 60_000 })
    expect(operations.problems).toEqual([])
  })

  test('follows a job by polling where the service refuses its event stream', async () => {
    const id = await submit('polled')
    const { page, open: openPage } = await open()
    await page.route('**/events', (route) => route.fulfill({ status: 503, headers: { 'Retry-After': '5' }, body: '' }))
    await openPage(`/console/jobs/${id}`)
    await page.getByText('queued').first().waitFor()
    await client.post(`/1.0/jobs/${id}/cancel`)
    await page.getByText('cancelled').first().waitFor({ timeout: 20_000 })
  })

  test('marks a job as old while the service is away, and continues by itself', async () => {
    const id = await submit('away')
    const { page, open: openPage } = await open()
    await page.route('**/events', (route) => route.abort())
    await openPage(`/console/jobs/${id}`)
    await page.getByText('queued').first().waitFor()
    await page.route('**/1.0/jobs/**', (route) => route.abort())
    await page.route('**/1.0/whoami', () => {})
    // A request that waits for a change may be under way, for two seconds.
    await page.waitForTimeout(3_000)
    await client.post(`/1.0/jobs/${id}/cancel`)
    await page.getByText('The service has not answered since').waitFor()
    await page.getByText(/^As of .*, trying again: .* is not reachable/).waitFor({ timeout: 90_000 })
    expect(await page.getByText('queued').first().isVisible()).toBe(true)
    await page.unroute('**/1.0/jobs/**')
    await page.getByText('cancelled').first().waitFor({ timeout: 30_000 })
  })

  test('signs out when the token expires, and when the service refuses it', async () => {
    const claims = { sub: 'kim', orgs: ['*'], scope: 'publish:read', exp: inSeconds(6) }
    const expiring = await open({}, await identity.sign(claims))
    await expiring.open('/console/jobs')
    await expiring.page.getByText('The token has expired.').waitFor({ timeout: 15_000 })
    const refused = await open()
    await refused.open('/console/jobs')
    await refused.page.route('**/1.0/jobs?*', (route) => route.fulfill({ status: 401, json: {} }))
    await refused.page.getByText('The service no longer accepts this token.').waitFor({ timeout: 15_000 })
    expect(refused.page.url()).toContain('/console/jobs')
  })

  test('waits as long as a 429 asks, and says so', async () => {
    const { page, open: openPage } = await open()
    let asked = 0
    await page.route('**/1.0/jobs?*', async (route) => {
      asked++
      await route.fulfill({ status: 429, headers: { 'Retry-After': '20' }, json: { error: '429 too many requests' } })
    })
    await openPage('/console/jobs')
    await page.getByText('The service asks to wait 20 s.').waitFor()
    await page.waitForTimeout(8_000)
    expect(asked).toBe(1)
  })

  test('says what a scope does not allow, and does not offer it', async () => {
    const { page, open: openPage } = await open({}, service.tokens.reader as string)
    const id = await submit('read-only')
    await openPage(`/console/jobs/${id}`)
    await page.getByText('queued').first().waitFor()
    expect(await page.getByRole('button', { name: 'Cancel the job' }).count()).toBe(0)
    const pages = page.getByRole('navigation', { name: 'Pages' })
    expect(await pages.getByRole('link').allTextContents()).toEqual(['Jobs', 'Packets'])
    await page.goto(`${service.apiUrl}/console/ops`)
    await openPage('/console/ops')
    await page.getByText('the token lacks the scope ops:read').waitFor()
    await page.goto(`${service.apiUrl}/console/publish`)
    await openPage('/console/publish')
    await page.getByText('The token lacks the scope publish:write').waitFor()
    expect(await page.getByRole('textbox').count()).toBe(0)
  })

  test('says that a job is gone, that an address is not valid, and that a page could not be loaded', async () => {
    const { page, open: openPage, signIn } = await open()
    await openPage('/console/jobs/00000000-0000-4000-8000-000000000000')
    await page.getByText('404').waitFor()
    await page.goto(`${service.apiUrl}/console/packets/${org}/%E0%A4%A`)
    await signIn()
    await page.getByText('This page cannot be shown').waitFor()
    await page.route('**/assets/*.js', (route) => route.fulfill({ status: 404, body: '' }))
    await page.getByRole('link', { name: 'Models' }).click()
    await page.getByText('This page could not be loaded').waitFor()
    await page.getByRole('link', { name: 'Jobs', exact: true }).click()
    await page.getByText('Jobs, newest first').waitFor()
  })

  test('pauses the queue, says so on every page and to whoever may see a job, and resumes it', async () => {
    const [{ page, open: openPage }, reader] = [await open(), await open({}, service.tokens.reader as string)]
    const id = await submit('paused')
    const banner = page.getByText('The queue is paused: publishes are accepted and wait.')
    const line = /The queue was paused .* ago\. The job will start when it is resumed\./
    await openPage(`/console/jobs/${id}`)
    await page.getByText('queued').first().waitFor()
    expect([await banner.count(), await page.getByText('The queue was paused').count()]).toEqual([0, 0])

    await page.getByRole('link', { name: 'Operations' }).click()
    await page.getByRole('button', { name: 'Pause the queue' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Pause the queue' }).click()
    await page.getByText('all paused the queue').waitFor()
    expect(await banner.count()).toBe(0)
    await page.getByRole('link', { name: 'Jobs', exact: true }).click()
    await banner.waitFor()
    await openPage(`/console/jobs/${id}`)
    await banner.waitFor()
    await page.getByText(line).waitFor()
    await reader.open(`/console/jobs/${id}`)
    await reader.page.getByText(line).waitFor()
    expect(await reader.page.getByText('The queue is paused').count()).toBe(0)

    await banner.getByRole('link', { name: 'paused' }).click()
    await page.getByRole('button', { name: 'Resume the queue' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resume the queue' }).click()
    await page.getByRole('button', { name: 'Pause the queue' }).waitFor()
    await page.getByRole('link', { name: 'Jobs', exact: true }).click()
    await page.getByText('Jobs, newest first').waitFor()
    await expect.poll(() => banner.count(), { timeout: 30_000 }).toBe(0)
    await reader.open(`/console/jobs/${id}`)
    await reader.page.getByText('queued').first().waitFor()
    expect(await reader.page.getByText('The queue was paused').count()).toBe(0)
  })
})
