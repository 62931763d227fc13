import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { printableLine } from '../../client/context.ts'
import { number, plural, size } from '../../client/format.ts'
import { durationText } from '../../client/remaining.ts'
import { somethingElse } from '../../client/service/service-error.ts'
import type { Job } from '../../wire/job.ts'
import { isFinished } from '../../wire/job-states.ts'
import type { JobsSummary } from '../../wire/jobs-summary.ts'
import { useAsked } from '../data.ts'
import { jobHref, withQuery } from '../links.ts'
import { maySeeOperations, mayWrite, useSignedIn } from '../session.ts'
import { Filter } from '../ui/filter.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, Name, State, Table, Time } from '../ui/pieces.tsx'
import { AsOf, Shown } from '../ui/shown.tsx'
import { inTurn, isFiltered, type JobQuery, queryOf, times } from './job-query.ts'
import { SelectedJobs } from './selected-jobs.tsx'

interface JobsPage {
  jobs: Job[]
  next: string | null
}

const [everyMs, summaryEveryMs] = [5_000, 15_000]
const rowsOfPage = 50
/** A page of the service may end early when few jobs fit. So many are read for one page here. */
const mostPages = 5

/** Jobs, newest first; the filter is in the address, so that it can be shared. */
export function Jobs() {
  const { query, route } = useLocation()
  const asked = query as Partial<JobQuery>
  const { org = '', state = '', q = '', when = '', callback = '', after = '' } = asked
  const session = useSignedIn()
  const { client, who } = session
  const [selected, select] = useState<ReadonlySet<string>>(new Set())
  const filter = { org, state, q, when, callback }
  const page = useAsked(
    ['jobs', who.name, filter, after],
    (signal) =>
      inTurn(async () => {
        const found: JobsPage = { jobs: [], next: after || null }
        for (let pages = 0; pages < mostPages && found.jobs.length < rowsOfPage; pages++) {
          const limit = rowsOfPage - found.jobs.length
          const query = { ...queryOf(filter), after: found.next ?? undefined, limit }
          const { jobs, next } = await client.ask<JobsPage>('GET', '/1.0/jobs', { query, signal })
          if (!Array.isArray(jobs)) throw somethingElse(location.origin)
          found.jobs.push(...jobs)
          found.next = next
          if (next === null) break
        }
        return found
      }),
    after === '' ? everyMs : undefined,
  )
  const summary = useAsked(
    ['summary', who.name, { ...filter, state: '' }],
    (signal) =>
      inTurn(() =>
        client.ask<JobsSummary>('GET', '/1.0/jobs/summary', { query: queryOf({ ...filter, state: '' }), signal }),
      ),
    summaryEveryMs,
  )
  const hrefOf = (values: Partial<JobQuery>) => withQuery('/console/jobs', { ...filter, ...values })
  const change = (values: Partial<JobQuery>) => route(hrefOf(values), true)
  const [ownOrg, setOwnOrg] = useState(org)
  useEffect(() => setOwnOrg(org), [org])
  /** What is in the other fields counts, too. */
  const changeAll = (text: string, values: Partial<JobQuery>) =>
    change({ q: text.trim(), org: ownOrg.trim(), ...values })
  return (
    <Page title="Jobs" about={after}>
      <Filter label="Name or id has" text={q} action="Filter" filter={(text) => changeAll(text, {})}>
        {(text) => (
          <>
            <label>
              Org
              <input value={ownOrg} onInput={({ currentTarget }) => setOwnOrg(currentTarget.value)} />
            </label>
            <Choice title="Submitted" value={when} options={times} choose={(when) => changeAll(text, { when })} />
            <Choice
              title="Callback"
              value={callback}
              options={callbackTexts}
              choose={(callback) => changeAll(text, { callback })}
            />
          </>
        )}
      </Filter>
      <States summary={summary.data} state={state} hrefOf={hrefOf} />
      <Causes causes={summary.data?.causes ?? []} />
      <Shown of={page}>
        {({ jobs, next }) => (
          <>
            {after === '' && <AsOf of={page} />}
            {jobs.some(({ paused }) => paused) && !maySeeOperations(session) && (
              <p class="stale" role="status">
                The queue is paused: the jobs that are queued wait.
              </p>
            )}
            {jobs.length === 0 ? (
              <NoJobs
                isFiltered={isFiltered({ ...filter, after })}
                hasMore={next !== null}
                mayPublish={mayWrite(session)}
              />
            ) : (
              <>
                {mayWrite(session) && (
                  <SelectedJobs
                    jobs={jobs.filter(({ id }) => selected.has(id))}
                    session={session}
                    done={() => {
                      select(new Set())
                      page.again()
                      summary.again()
                    }}
                  />
                )}
                <Table
                  caption="Jobs, newest first"
                  columns={columnsOf(jobs, mayWrite(session) ? { selected, select } : null)}
                  rows={jobs}
                  keyOf={({ id }) => id}
                  isDense
                />
              </>
            )}
            <p class="pages">
              {after !== '' && <a href={hrefOf({})}>Newest</a>}
              {next !== null && <a href={hrefOf({ after: next })}>Older</a>}
            </p>
          </>
        )}
      </Shown>
    </Page>
  )
}

const callbackTexts = { '': 'any', due: 'due', delivered: 'delivered', failed: 'failed' }

interface ChoiceProps {
  title: string
  value: string
  options: Readonly<Record<string, string>>
  choose: (value: string) => void
}

const Choice = ({ title, value, options, choose }: ChoiceProps) => (
  <label>
    {title}
    <select value={value} onChange={({ currentTarget }) => choose(currentTarget.value)}>
      {Object.entries(options).map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  </label>
)

const openStates = ['queued', 'running', 'committing'] as const
const shownStates = ['queued', 'running', 'committing', 'succeeded', 'failed', 'cancelled'] as const

interface StatesProps {
  summary: JobsSummary | undefined
  state: string
  hrefOf: (values: Partial<JobQuery>) => string
}

/** How many jobs are in each state, as links that filter the list. */
function States({ summary, state, hrefOf }: StatesProps) {
  const sumOf = (states: readonly (typeof shownStates)[number][]) =>
    summary && states.reduce((sum, each) => sum + summary.states[each], 0)
  const tabs = [
    ['', 'all', sumOf(shownStates)],
    ['open', 'open', sumOf(openStates)],
    ...shownStates.map((each) => [each, each, sumOf([each])] as const),
  ] as const
  const more = summary?.complete === false ? '+' : ''
  return (
    <nav aria-label="States" class="tabs">
      {tabs.map(([value, text, count]) => (
        <a key={value} href={hrefOf({ state: value })} aria-current={value === state ? 'true' : undefined}>
          {text}
          {count !== undefined && (
            <span class="number">
              {' '}
              {number.format(count)}
              {more}
            </span>
          )}
        </a>
      ))}
    </nav>
  )
}

/** Equal errors of the jobs of the filter, in one row each. */
function Causes({ causes }: Pick<JobsSummary, 'causes'>) {
  if (causes.length === 0) return null
  const failures = causes.reduce((sum, { count }) => sum + count, 0)
  type Cause = (typeof causes)[number]
  const columns = [
    { title: 'Jobs', of: ({ count }: Cause) => number.format(count), isNumber: true },
    { title: 'Code', of: ({ code }: Cause) => <code>{code}</code> },
    { title: 'Error', of: ({ message }: Cause) => message },
    { title: 'Newest', of: ({ newest }: Cause) => <a href={jobHref(newest)}>the newest job</a> },
  ]
  return (
    <details>
      <summary>
        Why {plural(failures, 'job')} failed: {plural(causes.length, 'cause')}
      </summary>
      <Table caption="Causes of failures, the most frequent first" columns={columns} rows={causes} isDense />
    </details>
  )
}

function NoJobs(props: { isFiltered: boolean; hasMore: boolean; mayPublish: boolean }) {
  if (props.hasMore) return <Empty>None of the jobs that were read fits the filter. “Older” reads on.</Empty>
  if (props.isFiltered) return <Empty>No job of the last seven days fits the filter.</Empty>
  return (
    <Empty command={props.mayPublish ? 'packets publish request.json --org acme --name airports.json' : undefined}>
      There were no jobs in the last seven days.{' '}
      {props.mayPublish && <a href="/console/publish">Compose a publish here</a>}
    </Empty>
  )
}

interface Selection {
  selected: ReadonlySet<string>
  select: (ids: ReadonlySet<string>) => void
}

/** The columns that have something to say of these jobs. */
function columnsOf(jobs: readonly Job[], selection: Selection | null) {
  const isSelectable = (job: Job) => !isFinished(job) || job.callback !== null
  return [
    ...(selection && jobs.some(isSelectable)
      ? [{ title: 'Select', of: (job: Job) => isSelectable(job) && <Select job={job} {...selection} /> }]
      : []),
    {
      title: 'State',
      of: (job: Job) => (
        <>
          <State state={job.state} />
          {warningOf(job)}
        </>
      ),
    },
    {
      title: 'Job',
      isName: true,
      of: ({ id, orgName, fileName }: Job) => (
        <a href={jobHref(id)}>
          <Name text={`${orgName}/${fileName}`} />
        </a>
      ),
    },
    { title: 'Submitted', of: ({ createdAt }: Job) => <Time at={createdAt} /> },
    { title: 'Took', of: tookOf },
    { title: 'Made', of: (job: Job) => <Made job={job} /> },
    ...(jobs.some(({ attempt }) => attempt > 1)
      ? [{ title: 'Attempts', of: ({ attempt }: Job) => number.format(attempt), isNumber: true }]
      : []),
    ...(jobs.some(({ callback }) => callback !== null) ? [{ title: 'Callback', of: callbackOf }] : []),
    ...(jobs.some(({ error }) => error !== null)
      ? [{ title: 'Error', of: ({ error }: Job) => error?.message ?? '' }]
      : []),
  ]
}

function Select({ job: { id, orgName, fileName }, selected, select }: { job: Job } & Selection) {
  function change(isSelected: boolean): void {
    const ids = new Set(selected)
    if (isSelected) ids.add(id)
    else ids.delete(id)
    select(ids)
  }
  return (
    <input
      type="checkbox"
      aria-label={`Select ${printableLine(`${orgName}/${fileName}`)}`}
      checked={selected.has(id)}
      onChange={({ currentTarget }) => change(currentTarget.checked)}
    />
  )
}

/** A packet that lacks what was asked for is not as good as any other. */
function warningOf({ report, state }: Job) {
  const { originIds, relationshipIds } = report?.missing ?? {}
  const missing = (originIds?.count ?? 0) + (relationshipIds?.count ?? 0)
  if (state !== 'succeeded' || missing === 0) return null
  return <span class="warning"> ⚠ {plural(missing, 'id')} missing</span>
}

function tookOf({ createdAt, startedAt, finishedAt }: Job): string {
  const end = finishedAt === null ? Date.now() : Date.parse(finishedAt)
  if (startedAt === null)
    return finishedAt === null ? `waits ${durationText((end - Date.parse(createdAt)) / 1_000)}` : ''
  return durationText((end - Date.parse(startedAt)) / 1_000)
}

function Made({ job: { state, progress } }: { job: Job }) {
  const { subRequests, subRequestsDone, pairs, parts, bytes } = progress
  const made = pairs === 0 ? '' : plural(pairs, 'pair')
  if (state !== 'running' && state !== 'committing') {
    return made === '' ? null : <span title={`${plural(parts, 'part')}, ${size(bytes)}`}>{made}</span>
  }
  const share = Math.floor((100 * subRequestsDone) / Math.max(1, subRequests))
  return (
    <>
      <progress class="short" max={Math.max(1, subRequests)} value={subRequestsDone} aria-label="Done" /> {share} %{' '}
      {made}
    </>
  )
}

function callbackOf({ callback }: Job) {
  if (callback === null) return ''
  return callback.state === 'failed' ? <span class="state failed">✕ failed</span> : callback.state
}
