/** At most `limit` entries of a list, after the entry with these sort values. */
export interface ModelPage {
  limit: number
  after: readonly (string | number)[] | null
}

/**
 * Records of a list, and the largest `limit`. Beyond this limit a list without `limit` is `400 listTooLong`; a larger
 * `limit` is `400 invalidRequest`.
 */
export const mostListed = 10_000

/** The condition for entries after the previous page; '' for the first page. */
export function afterPage(sortedBy: readonly string[], page: ModelPage | undefined): string {
  if (!page?.after) return ''
  const sameUpTo = (at: number) => sortedBy.slice(0, at).map((one, index) => `${one} = $after[${index}]`)
  const further = sortedBy.map((one, at) => `(${[...sameUpTo(at), `${one} > $after[${at}]`].join(' AND ')})`)
  return `\nWHERE ${further.join(' OR ')}`
}

export const orderBy = (sortedBy: readonly string[], page: ModelPage | undefined): string =>
  `ORDER BY ${sortedBy.join(', ')}${page ? '\nLIMIT $limit' : ''}`

export const pageSelection = (page: ModelPage | undefined): Record<string, unknown> =>
  page === undefined
    ? {}
    : {
        limit: BigInt(page.limit),
        after: page.after?.map((value) => (typeof value === 'number' ? BigInt(value) : value)) ?? null,
      }
