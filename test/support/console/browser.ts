import { spawnSync } from 'node:child_process'
import axe, { type AxeResults } from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, describe, onTestFinished } from 'vitest'
import type { Service } from '../../../dev/service.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome']

/** A browser for one test file, and tabs of it at a service. Without a browser its tests are skipped, and say so. */
export async function browserFor({ apiUrl, tokens }: Pick<Service, 'apiUrl' | 'tokens'>) {
  const browser = await openBrowser()
  if (browser === null) console.warn('Chromium is not installed and cannot be: the tests of the console are skipped')
  afterAll(() => browser?.close())
  const token = tokens.all as string
  return {
    inBrowser: describe.skipIf(browser === null),
    open: (options: BrowserContextOptions = {}, as = token) => openTab(browser as Browser, apiUrl, as, options),
  }
}

/** Chromium, installed from Debian's packages if it can be; null if there is none. */
async function openBrowser(): Promise<Browser | null> {
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
async function openTab(browser: Browser, url: string, token: string, options: BrowserContextOptions) {
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
  async function signIn(as = token): Promise<void> {
    await page.getByLabel('Token', { exact: true }).fill(as)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
  }
  async function open(path: string): Promise<void> {
    await page.goto(url + path)
    await signIn()
  }
  onTestFinished(() => context.close())
  return { page, problems, open, signIn }
}

/** What axe finds on a page, by rule. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
