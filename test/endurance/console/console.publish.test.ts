import { spawnSync } from 'node:child_process'
import { expect, inject, test } from 'vitest'
import { publishPage } from '../../support/console/publish-page.ts'

const { client, inBrowser, editor, requestOf, org, label, credentials, service } = await publishPage()
const { username, password, boltUrl } = inject('stack').neo4j

interface Job {
  state: string
  fileName: string
  progress: { pairs: number }
}
const jobs = async () => (await client.get<{ jobs: Job[] }>(`/1.0/jobs?orgName=${org}`)).body.jobs

inBrowser('the page Publish', () => {
  test('only the request that was run dry can be published: text, user and replacement', async () => {
    const { page, fill, dryRun, publish } = await editor()
    await fill(requestOf('tried.json'))
    expect(await publish.isDisabled()).toBe(true)
    await dryRun()
    expect(await publish.isEnabled()).toBe(true)
    await page.getByLabel(/^Request/).fill(requestOf('other.json'))
    expect(await publish.isDisabled()).toBe(true)
    await page.getByLabel(/^Request/).fill(requestOf('tried.json'))
    await page.getByLabel('User of the origin').fill('somebody')
    expect(await publish.isDisabled()).toBe(true)
    await page.getByLabel('User of the origin').fill(username)
    await page.getByLabel(/^Replace/).check()
    expect(await publish.isDisabled()).toBe(true)
    await page.getByLabel(/^Replace/).uncheck()
    expect(await publish.isEnabled()).toBe(true)
    expect(await jobs()).toEqual([])
  })

  test('the usual fields and the JSON are the same request, and numbers stay as they are', async () => {
    const { page, fill } = await editor()
    const text = async () => await page.getByLabel(/^Request/).inputValue()
    await fill(`{"dbUrl": ${JSON.stringify(boltUrl)}, "originIds": ["p1"], "expiresAfterDays": 1.50}`)
    await page.getByLabel('Label of the nodes').fill('Person')
    await page.getByLabel('Ids of the nodes').pressSequentially('\np2\n')
    await page.getByLabel('Name of the packet').fill('from-fields.json')
    expect(await text()).toContain('"expiresAfterDays": 1.50')
    const same = { dbUrl: boltUrl, originIds: ['p1', 'p2'], expiresAfterDays: 1.5, fileName: 'from-fields.json' }
    expect(JSON.parse(await text())).toEqual({ ...same, mappedIndices: { DEFAULT_INDEX: 'Person' } })
    await fill(`{"originIds": ["with\\na break"], "fileName": "typed.json"}`)
    expect(await page.getByLabel('Name of the packet').inputValue()).toBe('typed.json')
    expect(await page.getByLabel('Ids of the nodes').isDisabled()).toBe(true)
    await fill('{"fileName":')
    expect(await page.getByLabel('Name of the packet').isDisabled()).toBe(true)
  })

  test('the fields offer what the origin has, once it was asked, and the keyboard chooses it', async () => {
    const { page, fill, button } = await editor()
    await fill(JSON.stringify({ dbUrl: boltUrl }))
    await button('Read the names of the origin').press('Enter')
    await page.getByText(/^The fields offer [\d,]+ labels? and [\d,]+ types? of relationships/).waitFor()
    // The database of all tests may have more names than an answer.
    const json = { labels: [label], relationshipTypes: ['KNOWS', 'LIKES'], identities: null, isCut: false }
    await page.route('**/1.0/origin/names', (it) => it.fulfill({ json }), { times: 1 })
    await button('Read the names of the origin').press('Enter')
    await page.getByText('The fields offer 1 label and 2 types of relationships.').waitFor()
    const add = page.getByRole('combobox', { name: /^Add to: Types/ })
    await add.focus()
    await page.keyboard.type('KNOWS')
    await page.keyboard.press('Enter')
    const text = page.getByLabel(/^Request/)
    expect(JSON.parse(await text.inputValue())).toEqual({ dbUrl: boltUrl, relationships: ['KNOWS'] })
    // What the list has is no longer offered.
    expect(await add.getByRole('option', { name: 'KNOWS', exact: true }).count()).toBe(0)
    const offered = await page.getByLabel('Label of the nodes').evaluate((input) => {
      const { list } = input as unknown as { list: { options: ArrayLike<{ value: string }> } }
      return Array.from(list.options, ({ value }) => value)
    })
    expect(offered).toContain(label)
    await fill(JSON.stringify({ dbUrl: boltUrl }), 'wrong')
    await button('Read the names of the origin').click()
    expect(await page.getByRole('alert').textContent()).toContain('refused the credentials')
  })

  test('labels may be selected in place of ids, and then need no property; conditions are for the JSON', async () => {
    const { page, fill } = await editor()
    const selected = page.getByLabel('Or labels')
    await fill('{"originIds": ["p1"], "mappedIndices": {"DEFAULT_INDEX": "Person", "DEFAULT_ID_FIELD": "id"}}')
    for (const field of ['Label of the nodes', 'Property that has their ids', 'Ids of the nodes'])
      await page.getByLabel(field).fill('')
    await selected.pressSequentially('Person\nCity')
    const request = JSON.parse(await page.getByLabel(/^Request/).inputValue())
    expect(request).toEqual({ select: [{ label: 'Person' }, { label: 'City' }] })
    await fill('{"select": [{"label": "*"}]}')
    expect(await selected.inputValue()).toBe('*')
    for (const other of ['{"label": "A", "where": {"a": 1}}', '{}', '"A"', '{"label": ""}', 'null']) {
      await fill(`{"select": [${other}]}`)
      expect(await selected.isDisabled()).toBe(true)
    }
  })

  test('a dry run, then a publish, leads to the job; the secrets are nowhere in the page', async () => {
    const { page, problems, fill, dryRun, publish } = await editor()
    await fill(requestOf('made.json'))
    await dryRun()
    await page.getByText(/would make \d+ pairs/).waitFor()
    expect(await page.content()).not.toContain('"name"')
    await publish.click()
    await page.getByText('succeeded').waitFor()
    await page.getByRole('link', { name: 'made.json' }).click()
    await page.getByText('What a target needs').waitFor()
    expect(await jobs()).toMatchObject([
      { state: 'succeeded', fileName: 'made.json', progress: { pairs: expect.any(Number) } },
    ])
    await page.goBack()
    await page.goBack()
    expect(await page.getByLabel(/^Request/).inputValue()).toBe(requestOf('made.json'))
    expect(await page.getByLabel(/^Password/).inputValue()).toBe('')
    const kept = await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])')
    const all = `${await page.content()} ${page.url()} ${kept} ${await page.title()}`
    expect([password, credentials, service.tokens.all].filter((secret) => all.includes(secret as string))).toEqual([])
    expect(problems).toEqual([])
  })

  test('a name that is taken cannot be published unless the packet is to be replaced', async () => {
    const { page, fill, dryRun, publish } = await editor()
    await fill(requestOf('made.json', { originIds: ['p3'] }))
    await dryRun()
    await page.getByText('The name is taken.').first().waitFor()
    // A picture of what would be made, and what is different from the packet of the name.
    expect(await page.locator('figure img').count()).toBe(1)
    const row = page.getByRole('row', { name: /^node upsert/ }).first()
    expect(await row.getByRole('cell').count()).toBe(6)
    await page.getByRole('columnheader', { name: 'Now' }).waitFor()
    expect(await publish.isDisabled()).toBe(true)
    await page.getByLabel(/^Replace/).check()
    await dryRun()
    await publish.click()
    await page.getByText('succeeded').waitFor()
  })

  test('broken rules are reported at their fields, a wrong password once, and a text that is not JSON at once', async () => {
    const { page, fill, button } = await editor()
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
    const alert = page.getByRole('alert')
    await fill(requestOf('x.json', { originIds: [], labels: 1 }))
    await button('Dry run').click()
    await alert.waitFor()
    expect(await alert.textContent()).toMatch(/\blabels: unknown/)
    expect(await alert.textContent()).not.toContain('[0]')
    expect(sent.length).toBe(1)
    await fill(requestOf('x.json'), 'wrong')
    await button('Dry run').click()
    await page.getByText('refused the credentials').waitFor()
    expect(sent.length).toBe(2)
    await fill('{"originIds":\n  }')
    await button('Dry run').click()
    await page.getByText('The request is not valid JSON: line 2, column 3: expected a value').waitFor()
    expect(await page.evaluate('document.activeElement.selectionStart')).toBe(16)
    await fill(requestOf('x.json'), '')
    await button('Dry run').click()
    await page.getByText('Type the password of the origin').waitFor()
    expect(sent.length).toBe(2)
  })

  test('an org that does not exist can be created from the error', async () => {
    const { page, fill, button } = await editor()
    await fill(requestOf('x.json', { orgName: `${org}new` }))
    await button('Dry run').click()
    await button(`Create the org ${org}new`).click()
    await page.getByText(`Created the org ${org}new.`).waitFor()
    // The dry run for whose sake it was created goes on by itself.
    await page.getByRole('heading', { name: 'Dry run' }).waitFor()
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')
    expect((await client.get(`/1.0/publish/${org}new`)).status).toBe(200)
  })

  test('an org is not to be created because a model does not exist, whatever its name', async () => {
    const { page, fill, button } = await editor()
    await fill(requestOf('x.json', { model: 'orgName: organs' }))
    await button('Dry run').click()
    await page.getByText('404 Not Found: there is no manager named "orgName: organs"').waitFor()
    expect(await button(`Create the org ${org}`).count()).toBe(0)
  })

  test('the sample of a dry run shows numbers as the packet has them', async () => {
    const { page, fill, dryRun } = await editor()
    await fill(requestOf('x.json'))
    await page.route('**/1.0/publish/multi*', async (route) => {
      const answer = await route.fetch({ maxRetries: 3 })
      const text = (await answer.text()).replace(/"sample":\[/, '"sample":[{"one":1.0,"two":9007199254740993},')
      await route.fulfill({ response: answer, body: text })
    })
    await dryRun()
    await page.getByText('Sample of the pairs').click()
    await page.getByText('"one": 1.0').waitFor()
    expect(await page.content()).toContain('"two": 9007199254740993')
  })

  test('a publish ends with the session: nothing is sent after the user has signed out', async () => {
    const { page, fill, dryRun, publish, button, signIn } = await editor()
    await fill(requestOf('left.json'))
    await dryRun()
    let sent = 0
    await page.route('**/1.0/publish/multi*', async (route) => {
      sent++
      await route.fulfill({ status: 503, headers: { 'Retry-After': '1' }, json: { error: '503 busy' } })
    })
    await publish.click()
    await expect.poll(() => sent, { timeout: 10_000 }).toBeGreaterThan(1)
    await button('Sign out').click()
    const before = sent
    await signIn()
    await page.waitForTimeout(4_000)
    expect([sent, page.url().includes('/console/publish')]).toEqual([before, true])
    expect((await jobs()).map(({ fileName }) => fileName)).not.toContain('left.json')
  })

  test('the curl line sends the same request, with the secrets in the place of variables', async () => {
    const { page, fill, button } = await editor()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await fill(requestOf("o'dd.json"))
    await button('Copy as curl').click()
    await page.getByText('Copied').waitFor()
    const line = (await page.evaluate('navigator.clipboard.readText()')) as string
    expect([line.includes(password), line.includes('/1.0/publish/multi'), line.includes(boltUrl)]).toEqual([
      ...[false, true, true],
    ])
    const { status, stdout } = spawnSync('sh', ['-c', `${line} -sS -o /dev/null -w '%{http_code}'`], {
      env: { PATH: process.env.PATH, TOKEN: service.tokens.all, CREDENTIALS: credentials },
      encoding: 'utf8',
    })
    expect([status, stdout]).toEqual([0, '200'])
  })
})
