import type { Locator, Page } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { prepare } from '../../support/clients/e2e.ts'
import { browserFor } from '../../support/console/browser.ts'
import { modelWith } from '../../support/models/bound-model.ts'
import { ownService } from '../../support/programs/own-service.ts'
import { callbackSettings, newSecret, startReceiver } from '../../support/servers/receiver.ts'

const receiver = await startReceiver()
receiver.answerWith((response) => void response.writeHead(410).end())
const { service, client } = await ownService({
  workers: 0,
  env: { CONSOLE: 'on', ...callbackSettings([receiver], newSecret()) },
})
const { inBrowser, open } = await browserFor(service)
const { fields, org, label } = await prepare(3, service)
const { username, password } = inject('stack').neo4j

async function submit(fileName: string, more: object = {}): Promise<string> {
  const body = { ...fields, originIds: ['p1', 'p2'], orgName: org, fileName, ...more }
  const { headers } = await client.post('/1.0/publish/', body, { Prefer: 'respond-async' })
  return (headers.get('Location') as string).split('/').at(-1) as string
}
const worker = await service.startWorker()
const ended = [
  await submit('people.json'),
  await submit('failed.json', { mappedIndices: { DEFAULT_INDEX: label, DEFAULT_ID_FIELD: 'none' } }),
  await submit('gone.json', { callbackUrl: receiver.url }),
]
for (const id of ended) await client.followJob(`/1.0/jobs/${id}`)
await worker.stop(40_000)
const waiting = await submit('waiting.json')
const { name: model, version } = await modelWith(client, { Film: { title: ['String', 'unique'] } })

/** Keys of a page. There is no mouse. */
function keysOf(page: Page) {
  /** Presses Tab until this has the focus, as a person would. */
  async function to(target: Locator): Promise<void> {
    await target.first().waitFor()
    const isThere = () => target.first().evaluate((element) => element === element.ownerDocument.activeElement)
    for (let presses = 0; presses < 300 && !(await isThere()); presses++) await page.keyboard.press('Tab')
    expect(await isThere()).toBe(true)
  }
  return {
    to,
    async enter(target: Locator): Promise<void> {
      await to(target)
      await page.keyboard.press('Enter')
    },
    async write(target: Locator, text: string): Promise<void> {
      await to(target)
      await page.keyboard.press('Control+A')
      await page.keyboard.type(text)
    },
    async go(place: string): Promise<void> {
      await page.evaluate('document.activeElement.blur()')
      await page.keyboard.press('g')
      await page.keyboard.press(place)
    },
  }
}

async function opened() {
  const { page, open: openPage, problems } = await open()
  await openPage('/console/jobs')
  await page.getByText('people.json').first().waitFor()
  return { page, problems, ...keysOf(page) }
}

inBrowser('by the keyboard alone', () => {
  test('why a job of an org failed, and what to do', async () => {
    const { page, enter, write } = await opened()
    await write(page.getByLabel('Org', { exact: true }), org)
    await page.keyboard.press('Enter')
    await enter(page.getByRole('link', { name: 'failed 1' }))
    await enter(page.getByRole('link', { name: `${org}/failed.json` }))
    await page.getByText('What to do next').first().waitFor()
  })

  test('a job is cancelled', async () => {
    const { page, enter } = await opened()
    await enter(page.getByRole('link', { name: `${org}/waiting.json` }))
    await enter(page.getByRole('button', { name: 'Cancel the job' }))
    await enter(page.getByRole('dialog').getByRole('button', { name: 'Cancel the job' }))
    await page.getByText('cancelled').first().waitFor()
    expect((await client.get<{ state: string }>(`/1.0/jobs/${waiting}`)).body.state).toBe('cancelled')
  })

  test('the labels and statements of a packet are seen, and it is downloaded', async () => {
    const { page, enter, to, go } = await opened()
    await go('p')
    await enter(page.getByRole('link', { name: org, exact: true }))
    await enter(page.getByRole('link', { name: 'people.json' }))
    await page.getByRole('cell', { name: label }).first().waitFor()
    await to(page.getByText('Statements, with values of properties'))
    await page.keyboard.press('Enter')
    await page
      .getByText(/^MERGE/)
      .first()
      .waitFor()
    const download = page.waitForEvent('download')
    await enter(page.getByRole('button', { name: /^Download/ }))
    expect(new URL((await download).url()).pathname).toContain('people')
  })

  test('why a callback did not arrive', async () => {
    const { page, enter } = await opened()
    await enter(page.getByRole('link', { name: `${org}/gone.json` }))
    await page.getByText(/The receiver at .* answered 410/).waitFor()
    await enter(page.getByRole('button', { name: /^Send the callback again/ }))
    await enter(page.getByRole('dialog').getByRole('button', { name: /^Send/ }))
    await page
      .getByText(/Sent again/)
      .first()
      .waitFor()
  })

  test('the properties and constraints of a model are seen', async () => {
    const { page, enter, to, go } = await opened()
    await go('m')
    await enter(page.getByText(`versions of ${model}`))
    await enter(page.locator(`a[href="/console/models/${encodeURIComponent(version)}"]`))
    await page.getByText('title (unique): String').waitFor()
    await to(page.getByText(/^Constraints of a target/))
    await page.keyboard.press('Enter')
    await page.getByText(/REQUIRE .* IS UNIQUE/).waitFor()
  })

  test('two people are published after a dry run', async () => {
    const starting = service.startWorker()
    const { page, problems, enter, write, go } = await opened()
    await go('n')
    const { credentials: _, ...request } = { ...fields, originIds: ['p1', 'p2'], orgName: org, fileName: 'typed.json' }
    await write(page.getByLabel(/^Request/), JSON.stringify(request))
    await write(page.getByLabel('User of the origin'), username)
    await write(page.getByLabel(/^Password/), password)
    await enter(page.getByRole('button', { name: 'Dry run', exact: true }))
    await page.getByText(/would make \d+ pairs/).waitFor()
    await starting
    await enter(page.getByRole('button', { name: 'Publish', exact: true }))
    await page.getByText('succeeded').waitFor()
    expect(problems).toEqual([])
  })
})
