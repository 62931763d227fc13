import { expect, test } from 'vitest'
import { publishPage } from '../../support/console/publish-page.ts'

const { client, inBrowser, editor, requestOf, org } = await publishPage()

inBrowser('deltas on the page Publish', () => {
  test('a delta is published from the fields, after a dry run of the whole, and its page names the base', async () => {
    const { page, fill, dryRun, publish } = await editor()
    const base = page.getByLabel('For a delta')
    await fill(requestOf('base.json'))
    await page.getByLabel('A later packet').check()
    expect(JSON.parse(await page.getByLabel(/^Request/).inputValue()).asBase).toBe(true)
    await dryRun()
    await publish.click()
    await page.getByRole('link', { name: 'base.json' }).click()
    await page.getByText('of 3 nodes').waitFor()
    await page.goBack()
    await page.goBack()
    await fill(requestOf('delta.json'))
    await base.fill('base.json')
    await page.getByLabel('Delete there').check()
    await dryRun()
    await page.getByText('The delta leaves out').waitFor()
    await publish.click()
    await page.getByRole('link', { name: 'delta.json' }).click()
    await page.getByRole('link', { name: 'base.json' }).click()
    await page.getByRole('heading', { name: 'base.json' }).waitFor()
    const delta = await client.get<{ pairs: number }>(`/1.0/publish/${org}/delta.json/manifest`)
    expect(delta.body).toMatchObject({ pairs: 0, base: { packet: `${org}/base.json` } })
  })

  test('a choice that only JSON can show cannot be changed by its field', async () => {
    const { page, fill } = await editor()
    await fill('{"deleteMissing": {"atMost": 0.5}}')
    expect(await page.getByLabel('Delete there').isDisabled()).toBe(true)
    await fill('{"deleteMissing": true}')
    await page.getByLabel('Delete there').uncheck()
    expect(JSON.parse(await page.getByLabel(/^Request/).inputValue())).toEqual({})
  })
})
