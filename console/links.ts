/** These functions make the addresses of pages. */
export const jobsHref = (org = '', state = ''): string => withQuery('/console/jobs', { org, state })
export const jobHref = (id: string): string => `/console/jobs/${encodeURIComponent(id)}`
export const orgHref = (org: string): string => `/console/packets/${encodeURIComponent(org)}`
export const packetHref = (org: string, name: string): string => `${orgHref(org)}/${encodeURIComponent(name)}`
export const modelHref = (grn: string): string => `/console/models/${encodeURIComponent(grn)}`

/** Adds the values that are not empty to a path. */
export function withQuery(path: string, values: Record<string, string>): string {
  const search = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''))
  return search.size === 0 ? path : `${path}?${search}`
}

/** Quotes a word for a shell, if it must be quoted. */
export const quoted = (word: string): string =>
  /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
