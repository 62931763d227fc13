import { useLocation } from 'preact-iso'
import { printableLine } from '../../client/context.ts'
import { number, packetText } from '../../client/format.ts'
import type { Job } from '../../wire/job.ts'
import { listedStates } from '../../wire/job-states.ts'
import { useAsked } from '../data.ts'
import { jobHref, withQuery } from '../links.ts'
import { mayWrite, useSignedIn } from '../session.ts'
import { Filter } from '../ui/filter.tsx'
import { Page } from '../ui/page.tsx'
import { Empty, State, Table, Time } from '../ui/pieces.tsx'
import { Shown } from '../ui/shown.tsx'

interface JobsPage {
  jobs: Job[]
  next: string | null
}

const everyMs = 5_000

/** Jobs, newest first; the filter is in the address, so that it can be shared. */
export function Jobs() {
  const { query, route } = useLocation()
  const { org = '', state = '', after = '' } = query
  const session = useSignedIn()
  const { client, who } = session
  const asked = useAsked(
    ['jobs', who.name, org, state, after],
    (signal) =>
      client.ask<JobsPage>('GET', '/1.0/jobs', {
        query: { orgName: org || undefined, state: state || undefined, after: after || undefined, limit: 50 },
        signal,
      }),
    after === '' ? everyMs : undefined,
  )
  const filter = (values: Record<string, string>) => route(withQuery('/console/jobs', { org, state, ...values }), true)
  return (
    <Page title="Jobs" about={after}>
      <Filter label="Org" text={org} action="Filter" filter={(text) => filter({ org: text.trim() })}>
        {(text) => <StateChoice state={state} choose={(chosen) => filter({ org: text.trim(), state: chosen })} />}
      </Filter>
      <Shown of={asked}>
        {({ jobs, next }) => (
          <>
            {jobs.length === 0 && next === null ? (
              <Empty
                command={
                  org || state || !mayWrite(session)
                    ? undefined
                    : 'packets publish request.json --org acme --name airports.json'
                }
              >
                {org || state
                  ? 'No job of the last seven days fits the filter.'
                  : 'There were no jobs in the last seven days.'}
              </Empty>
            ) : (
              <Table caption="Jobs, newest first" columns={columns} rows={jobs} keyOf={({ id }) => id} />
            )}
            <p class="pages">
              {after !== '' && <a href={withQuery('/console/jobs', { org, state })}>Newest</a>}
              {next !== null && <a href={withQuery('/console/jobs', { org, state, after: next })}>Older</a>}
            </p>
          </>
        )}
      </Shown>
    </Page>
  )
}

const columns = [
  { title: 'State', of: ({ state }: Job) => <State state={state} /> },
  {
    title: 'Job',
    isName: true,
    of: ({ id, orgName, fileName }: Job) => <a href={jobHref(id)}>{printableLine(`${orgName}/${fileName}`)}</a>,
  },
  { title: 'Submitted', of: ({ createdAt }: Job) => <Time at={createdAt} /> },
  {
    title: 'Made',
    of: ({ progress: { pairs, parts, bytes } }: Job) => (pairs === 0 ? '' : packetText(pairs, parts, bytes)),
  },
  { title: 'Attempt', of: ({ attempt }: Job) => number.format(attempt), isNumber: true },
  { title: 'Callback', of: ({ callback }: Job) => callback?.state ?? '' },
  { title: 'Error', of: ({ error }: Job) => error?.message ?? '' },
]

interface StateChoiceProps {
  state: string
  choose: (state: string) => void
}

const StateChoice = ({ state, choose }: StateChoiceProps) => (
  <label>
    State
    <select value={state} onChange={({ currentTarget }) => choose(currentTarget.value)}>
      <option value="">any</option>
      {listedStates.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </select>
  </label>
)
