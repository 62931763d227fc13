/** What the list of jobs is filtered by, as the address has it; '' if by nothing. */
export interface JobQuery {
  org: string
  state: string
  q: string
  /** One of `times`. */
  when: string
  callback: string
  after: string
}

/** The times that a list may be limited to, by their names in the address. */
export const times = {
  '': 'in the last seven days',
  hour: 'in the last hour',
  today: 'today',
  yesterday: 'yesterday',
} as const

const hourMs = 3_600_000

/** The parameters of a request for jobs. A day begins at midnight in the browser's time zone. */
export function queryOf({ org, state, q, when, callback }: Omit<JobQuery, 'after'>) {
  const midnight = new Date().setHours(0, 0, 0, 0)
  // Not a day of 24 hours less, because a clock may have been changed.
  const before = new Date(new Date().setDate(new Date().getDate() - 1)).setHours(0, 0, 0, 0)
  const since = new Map([
    ['hour', Date.now() - hourMs],
    ['today', midnight],
    ['yesterday', before],
  ]).get(when)
  return {
    orgName: org || undefined,
    state: state || undefined,
    q: q || undefined,
    callback: callback || undefined,
    since: since === undefined ? undefined : new Date(since).toISOString(),
    until: when === 'yesterday' ? new Date(midnight).toISOString() : undefined,
  }
}

export const isFiltered = (query: JobQuery): boolean => Object.values(query).some((value) => value !== '')

let last: Promise<unknown> = Promise.resolve()

/** Does work after what came before: a token may run one long list at a time. */
export function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const done = last.then(work, work)
  last = done.catch(() => {})
  return done
}
