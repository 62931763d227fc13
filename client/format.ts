import type { Job, ModelReport, SelectionReport } from '../wire/job.ts'

export const number = new Intl.NumberFormat('en-US')
const units = ['bytes', 'kB', 'MB', 'GB', 'TB']

export const plural = (count: number, word: string): string =>
  `${number.format(count)} ${word}${count === 1 ? '' : 's'}`

/** A size with two or more digits: `3.1 MB`. */
export function size(bytes: number): string {
  const unit = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  const value = bytes / 1_000 ** unit
  return `${unit > 0 && value < 100 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}

export const packetText = (pairs: number | null, parts: number, bytes: number | null): string =>
  [pairs === null ? [] : plural(pairs, 'pair'), plural(parts, 'part'), bytes === null ? [] : size(bytes)]
    .flat()
    .join(', ')

/** One line about a job: its error if it failed, or else what it made. */
export function jobLine({ id, state, orgName, fileName, createdAt, progress, error }: Job): string {
  const { pairs, parts, bytes } = progress
  return `${id}  ${state}  ${orgName}/${fileName}  ${createdAt}  ${error?.message ?? packetText(pairs, parts, bytes)}`
}

/** What a job did, and everything that a user should check. */
export function jobLines(job: Job): string[] {
  const { error, report } = job
  return [
    jobLine(job),
    ...pauseLines(job),
    ...waitLines(job),
    ...(job.failures ?? []).map(({ attempt, at, message }) => `attempt ${attempt} failed at ${at}: ${message}`),
    ...(error ? [`error: ${error.message}`] : []),
    ...callbackLines(job),
    ...(report ? reportLines(report) : []),
  ]
}

/** Why the job does not go on, if the queue is paused. `paused` is absent at an older service. */
export const pauseLines = ({ paused, state }: Pick<Job, 'state'> & Partial<Pick<Job, 'paused'>>): string[] =>
  paused
    ? [
        `the queue is paused since ${paused.since ?? 'an unknown time'}; the job will ${state === 'queued' ? 'start' : 'continue'} when it is resumed`,
      ]
    : []

/** What an unfinished job waits for. `waiting` is absent at an older service. */
function waitLines({ paused, waiting }: Partial<Pick<Job, 'paused' | 'waiting'>>): string[] {
  if (paused || !waiting) return []
  const { reason, ahead, until } = waiting
  if (reason === 'noWorker') return ['no worker is running']
  return [
    reason === 'turn' ? `waits for its turn, behind ${plural(ahead ?? 0, 'other run')}` : `runs again at ${until}`,
  ]
}

/** What came of the callback. The later fields are absent at an older service. */
function callbackLines({ callback }: Pick<Job, 'callback'>): string[] {
  if (!callback) return []
  const { state, attempts, lastStatus, lastFailure, host, nextAttemptAt } = callback
  const answer = lastStatus === null ? `no answer${lastFailure ? ` (${lastFailure})` : ''}` : `answer ${lastStatus}`
  const last = attempts === 0 ? '' : `, ${plural(attempts, 'attempt')}, ${answer}${host ? ` from ${host}` : ''}`
  return [`callback: ${state}${last}${nextAttemptAt ? `, next attempt at ${nextAttemptAt}` : ''}`]
}

interface Report {
  missing: Record<'originIds' | 'relationshipIds', { count: number; first: string[] }>
  skipped: Record<string, number>
  collapsed: number
  model?: ModelReport
  selection?: SelectionReport
}

/** What was requested but is not in the packet. */
export function reportLines({ missing, skipped, collapsed, model, selection }: Report): string[] {
  const lost = [
    ['origin id', missing.originIds],
    ['relationship id', missing.relationshipIds],
  ] as const
  return [
    ...lost
      .filter(([, { count }]) => count > 0)
      .map(([word, { count, first }]) => `missing: ${plural(count, word)}: ${listed(first, count)}`),
    ...countsLine('skipped', skipped),
    ...(collapsed > 0 ? [`collapsed: ${plural(collapsed, 'parallel relationship')}`] : []),
    ...(model ? modelLines(model) : []),
    ...(selection ? selectionLines(selection) : []),
  ]
}

function selectionLines({ from, to, nodes, gone, indices, withoutIdentity }: SelectionReport): string[] {
  const times = from === null ? '' : `, listed from ${from} to ${to}`
  return [
    `selected: ${plural(nodes, 'node')}${times}${gone === 0 ? '' : `; ${number.format(gone)} gone when they were read`}`,
    ...(indices.length === 0
      ? []
      : [`identified by constraints: ${indices.map(({ label, property }) => `:${label}(${property})`).join(', ')}`]),
    ...withoutIdentity.map(({ label, nodes }) => `without an identity: ${plural(nodes, 'node')} :${label}`),
  ]
}

const violationsShown = 10

function modelLines({ version, violations: { count, first }, omitted }: ModelReport): string[] {
  return [
    `model: ${version}${count === 0 ? '' : `, broken ${number.format(count)} ${count === 1 ? 'time' : 'times'}`}`,
    ...first.slice(0, violationsShown).map(({ label, id, problem }) => `  :${label}(${id}) ${problem}`),
    ...(count > violationsShown ? ['  …'] : []),
    ...countsLine('left out by the model', omitted),
  ]
}

function countsLine(head: string, counts: Record<string, number>): string[] {
  const texts = present(counts).map(([what, count]) => `${number.format(count)} ${what}`)
  return texts.length === 0 ? [] : [`${head}: ${texts.join(', ')}`]
}

/** The counts that are not 0. */
export const present = (counts: Record<string, number>): [what: string, count: number][] =>
  Object.entries(counts).filter(([, count]) => count > 0)

/** How many pairs there are of each kind. */
export const kindLines = (counts: Record<string, number>): string[] =>
  present(counts).map(([kind, count]) => `  ${kind}: ${number.format(count)}`)

interface Requires {
  server: string
  constraints: Statement[]
  moreConstraints?: number
  model?: { indexes: Statement[]; existence: Statement[]; more?: number }
}

/** The versions of Neo4j that take the two forms of a statement that creates a constraint. */
export const statementVersions = { 5: 'Neo4j 4.4 and later', 3.5: 'Neo4j before 4.4' } as const

const constraintLines = (constraints: readonly Statement[]): string[] =>
  constraints.length === 0
    ? []
    : (['5', '3.5'] as const).flatMap((version) => [
        `  ${statementVersions[version]}:`,
        ...constraints.map(({ cypher }) => `    ${cypher[version]};`),
      ])

type Statement = { cypher: Record<string, string> }

/** What a target needs for a packet. */
export const requiresLines = ({ server, constraints, moreConstraints = 0, model }: Requires): string[] => [
  `A target needs Neo4j ${server} or later${constraints.length === 0 ? '.' : ' and these constraints:'}`,
  ...constraintLines(constraints),
  ...moreLines(moreConstraints),
  ...listOf('The model has these indexes:', model?.indexes),
  ...listOf('The model requires these properties (constraints of the Enterprise Edition):', model?.existence),
  ...moreLines(model?.more ?? 0),
]

const moreLines = (more: number) => (more > 0 ? [`  and at least ${number.format(more)} more`] : [])
const listOf = (head: string, statements: readonly Statement[] = []) =>
  statements.length === 0 ? [] : [head, ...statements.map(({ cypher }) => `  ${cypher['5']};`)]

const idsShown = 10
const listed = (first: readonly string[], count: number) =>
  `${first.slice(0, idsShown).join(', ')}${count > idsShown ? ', …' : ''}`
