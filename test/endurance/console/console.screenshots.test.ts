import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { openDriver, run } from '../../../dev/replay/neo4j.ts'
import { database } from '../../../dev/requests.ts'
import { browserFor } from '../../support/console/browser.ts'
import { modelWith } from '../../support/models/bound-model.ts'
import { ownService } from '../../support/programs/own-service.ts'

// `SCREENSHOTS=docs/images` renews the pictures of docs/console.md.
const directory = process.env.SCREENSHOTS ?? join(import.meta.dirname, '../../../.local/screenshots')
mkdirSync(directory, { recursive: true })

const { service, client } = await ownService({ workers: 1, env: { CONSOLE: 'on' } })
const { inBrowser, open } = await browserFor(service)
const { neo4j } = inject('stack')
const driver = openDriver(neo4j)
const clear = () => run(driver, 'MATCH (n) WHERE n:ShownFilm OR n:ShownActor OR n:ShownStudio DETACH DELETE n')
afterAll(async () => {
  await clear()
  await driver.close()
})
await clear()
await run(
  driver,
  `UNWIND range(1, 40) AS at CREATE (f:ShownFilm {id: 'film' + at, title: 'Film ' + at})
   CREATE (:ShownActor {id: 'actor' + at})-[:PLAYS_IN {role: 'role'}]->(f)
   CREATE (f)-[:MADE_BY]->(:ShownStudio {id: 'studio' + at})`,
)
await client.post('/1.0/publish/cinema')
const { mappedIndices, ...place } = database(neo4j, 'ShownFilm', 'id', { ShownActor: 'id', ShownStudio: 'id' })
const request = {
  ...place,
  mappedIndices,
  orgName: 'cinema',
  metadata: true,
  relationships: ['<PLAYS_IN', 'MADE_BY>'],
  originIds: Array.from({ length: 40 }, (_, at) => `film${at + 1}`),
}
await client.post('/1.0/publish/', { ...request, fileName: 'films.json' })
await client.post('/1.0/publish/', { ...request, fileName: 'one.json', originIds: ['film1', 'gone'] })
await client.post('/1.0/publish/', {
  ...request,
  fileName: 'wrong-property.json',
  mappedIndices: { DEFAULT_INDEX: 'ShownFilm', DEFAULT_ID_FIELD: 'name' },
})
const { version } = await modelWith(client, {
  Film: { id: ['String', 'unique', 'required'], title: ['String', 'indexed'], year: ['Integer'] },
  Actor: { id: ['String', 'unique', 'required'], born: ['Date'] },
})

const pages = [
  ['jobs', '/console/jobs', 'wrong-property.json'],
  ['packet', '/console/packets/cinema/films.json', 'What a target needs'],
  ['model', `/console/models/${encodeURIComponent(version)}`, 'Node types'],
  ['operations', '/console/ops', 'Slots busy'],
] as const

inBrowser('screenshots', () => {
  test.each(pages)('the page of the console that shows %s is drawn for the documents', async (name, path, text) => {
    const { page, problems, open: openPage } = await open({ viewport: { width: 1_100, height: 700 } })
    await openPage(path)
    await page.getByText(text).first().waitFor()
    await page.evaluate('document.activeElement.blur()')
    // Long enough for a second measurement of the operations, which draws a line.
    if (name === 'operations') await page.waitForTimeout(11_000)
    const file = join(directory, `console-${name}.png`)
    await page.screenshot({ path: file })
    expect(statSync(file).size).toBeGreaterThan(10_000)
    expect(problems).toEqual([])
  })
})
