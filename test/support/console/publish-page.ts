import { inject } from 'vitest'
import { prepare } from '../clients/e2e.ts'
import { ownService } from '../programs/own-service.ts'
import { browserFor } from './browser.ts'

/** A service of its own with the console, three people at the origin, and the page that publishes them. */
export async function publishPage() {
  const { service, client } = await ownService({ workers: 1, env: { CONSOLE: 'on' } })
  const { inBrowser, open } = await browserFor(service)
  const { fields, org, label } = await prepare(3, service)
  const { username, password } = inject('stack').neo4j
  const { credentials, ...withoutSecrets } = fields

  /** The page, opened and signed in, and its parts. */
  async function editor() {
    const tab = await open()
    await tab.open('/console/publish')
    const { page } = tab
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const fill = async (request: string, secret = password) => {
      await page.getByLabel(/^Request/).fill(request)
      await page.getByLabel('User of the origin').fill(username)
      await page.getByLabel(/^Password/).fill(secret)
    }
    const dryRun = async () => {
      await button('Dry run').click()
      await page.getByRole('heading', { name: 'Dry run' }).waitFor()
    }
    return { ...tab, button, fill, dryRun, publish: button('Publish') }
  }

  /** A publish of two of the people, as the page takes it: without secrets. */
  const requestOf = (fileName: string, more: object = {}) =>
    JSON.stringify({ ...withoutSecrets, originIds: ['p1', 'p2'], orgName: org, fileName, ...more })

  return { service, client, inBrowser, editor, requestOf, org, label, credentials }
}
