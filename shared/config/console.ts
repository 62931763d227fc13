/**
 * Parses `CONSOLE`: `on`, `off`, or the https URL of the dashboard to which the page Operations links.
 * @returns null for `off` @throws {Error}
 */
export function parseConsole(text: string): { dashboardUrl: string | null } | null {
  if (text === 'off') return null
  if (text === 'on') return { dashboardUrl: null }
  const url = URL.parse(text)
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    throw new Error('must be on, off or the https URL of a dashboard, without credentials')
  }
  return { dashboardUrl: url.href }
}
