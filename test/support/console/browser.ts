import { spawnSync } from 'node:child_process'
import axe, { type AxeResults } from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome']

/** Chromium, installed from Debian's packages if it can be; null if there is none. */
export async function openBrowser(): Promise<Browser | null> {
  const executablePath = installed() ?? (installs() ? installed() : undefined)
  if (executablePath === undefined) return null
  // Its sandbox does not run as root.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}

const installed = () =>
  names.map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim()).find((path) => path !== '')

function installs(): boolean {
  if (process.getuid?.() !== 0) return false
  const options = {
    stdio: 'ignore',
    timeout: 200_000,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  } as const
  const apt = (...words: string[]) => spawnSync('apt-get', words, options).status === 0
  return apt('update', '-qq') && apt('install', '-y', '-qq', '--no-install-recommends', 'chromium')
}

/** A tab that has signed in, and what went wrong in it: errors, broken policies, requests to other hosts. */
export async function openTab(browser: Browser, url: string, token: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const problems: string[] = []
  // An answer with an error status is no fault of the page.
  page.on('console', (message) => {
    if (message.type() === 'error' && !/the server responded with a status/.test(message.text()))
      problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(url)) problems.push(request.url())
  })
  const open = async (path: string) => {
    await page.goto(url + path)
    await page.getByLabel('Token', { exact: true }).fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
  }
  return { page, problems, open, close: () => context.close() }
}

/** What axe finds on a page, by rule. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
