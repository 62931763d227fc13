/** How an API serves the console. */
export interface ConsoleSettings {
  /** The dashboard to which the page Operations links; null: none. */
  dashboardUrl: string | null
}

/** Parses `CONSOLE`: `on`, `off`, or the https URL of a dashboard. @returns null for `off` @throws {Error} */
export function parseConsole(text: string): ConsoleSettings | null {
  if (text === 'off') return null
  if (text === 'on') return { dashboardUrl: null }
  const url = URL.parse(text)
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    throw new Error('must be on, off or the https URL of a dashboard, without credentials')
  }
  return { dashboardUrl: url.href }
}
