import { useRef } from 'preact/hooks'
import { number, size } from '../../client/format.ts'
import { durationText } from '../../client/remaining.ts'
import type { Overview } from '../../wire/overview.ts'
import { useAsked } from '../data.ts'
import { jobsHref } from '../links.ts'
import { mayRead, type Session, useSignedIn } from '../session.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Page } from '../ui/page.tsx'
import { Facts, Table, Time } from '../ui/pieces.tsx'
import { type Measured, Plot } from '../ui/plot.tsx'
import { AsOf, Shown, sentence } from '../ui/shown.tsx'
import { Verdict } from './verdict.tsx'

const everyMs = 5_000
// Ten minutes.
const mostMeasured = 120

/** The queue, the workers and the dependencies, with what they were since the page was opened. */
export function Operations() {
  const session = useSignedIn()
  const { client, who } = session
  const asked = useAsked(['overview', who.name], (signal) => client.overview(signal), everyMs)
  const measured = useRef<Measured[]>([])
  const { data, answeredAt } = asked
  // Before the plots are drawn, so that they show the same as the facts.
  if (data?.queue && data.workers && measured.current.at(-1)?.at !== answeredAt / 1_000) {
    const { waiting, running, oldestWaitSeconds } = data.queue
    measured.current.push({ at: answeredAt / 1_000, waiting, running, oldestWaitSeconds, busy: data.workers.busy })
    if (measured.current.length > mostMeasured) measured.current.shift()
  }
  return (
    <Page title="Operations">
      <Shown of={asked}>
        {(overview) => (
          <>
            <AsOf of={asked} />
            <Verdict overview={overview} />
            {overview.queue && <Paused paused={overview.queue.paused} />}
            <Now overview={overview} measured={measured.current} isLinked={mayRead(session)} />
            {overview.queue && <Pause paused={overview.queue.paused} session={session} again={asked.again} />}
          </>
        )}
      </Shown>
    </Page>
  )
}

interface PauseProps {
  paused: NonNullable<Overview['queue']>['paused']
  session: Session
  again: () => void
}

const Paused = ({ paused }: Pick<PauseProps, 'paused'>) =>
  paused && (
    <p class="stale" role="status">
      {paused.by ?? 'Somebody'} paused the queue
      {paused.since && (
        <>
          {' '}
          <Time at={paused.since} />
        </>
      )}
      . Publishes are accepted and wait.
    </p>
  )

function Pause({ paused, session, again }: PauseProps) {
  if (!session.who.scopes.includes('ops:write')) return null
  const send = (to: string) => () => session.client.ask('POST', `/1.0/ops/${to}`, {}).then(again)
  return (
    <div class="actions">
      {paused ? (
        <Confirm title="Resume the queue" refusal="Leave it paused" isHarmless act={send('resume')}>
          <p>The workers will run the jobs that wait.</p>
        </Confirm>
      ) : (
        <Confirm title="Pause the queue" refusal="Let it run" act={send('pause')}>
          <p>The workers will start no new run, until you resume the queue. Runs under way will end.</p>
        </Confirm>
      )}
    </div>
  )
}

function Now({
  overview: { dependencies, queue, workers, jobs, orgs, lastHour, redis, lastSweep, dashboardUrl },
  measured,
  isLinked,
}: {
  overview: Overview
  measured: Measured[]
  /** Whether the token may see jobs. */
  isLinked: boolean
}) {
  const jobsIn = (state: string, count: number) =>
    isLinked ? <a href={jobsHref('', state)}>{number.format(count)}</a> : number.format(count)
  return (
    <>
      {queue !== null && workers !== null && redis !== null && (
        <>
          {orgs && orgs.length > 0 && <Orgs orgs={orgs} slots={workers.slots} isLinked={isLinked} />}
          <Facts
            of={[
              ...(jobs
                ? ([
                    ['Jobs queued', jobsIn('queued', jobs.queued)],
                    ['Jobs running', jobsIn('running', jobs.running)],
                  ] as const)
                : []),
              ...(lastHour
                ? ([['Callbacks that failed in the last hour', number.format(lastHour.callbacksFailed)]] as const)
                : []),
              ['Runs waiting', number.format(queue.waiting)],
              ['Runs under way', number.format(queue.running)],
              ['Runs put off', number.format(queue.delayed)],
              ['Multis waiting for their slices', number.format(queue.waitingForSlices)],
              ['Oldest job not begun', durationText(queue.oldestWaitSeconds)],
              [
                'Runs not ended, of the limit',
                `${number.format(queue.openRuns)} of ${number.format(queue.openRunsLimit)}`,
              ],
              ['Callbacks due', number.format(queue.callbacksDue)],
              ['Workers', number.format(workers.count)],
              ['Slots busy', `${number.format(workers.busy)} of ${number.format(workers.slots)}`],
              [
                'Redis memory',
                `${size(redis.memoryBytes)}${redis.memoryLimitBytes > 0 ? ` of ${size(redis.memoryLimitBytes)}` : ''}`,
              ],
              ['Last removal of expired packets', lastSweep === null ? 'not within a day' : <Time at={lastSweep} />],
            ]}
          />
          <Plot
            title="Runs"
            measured={measured}
            lines={[
              ['waiting', 'waiting'],
              ['under way', 'running'],
              ['slots busy', 'busy'],
            ]}
          />
          <Plot title="Oldest job not begun, seconds" measured={measured} lines={[['seconds', 'oldestWaitSeconds']]} />
        </>
      )}
      <Table
        caption="Dependencies"
        columns={[
          { title: 'Dependency', of: ([name]: [string, string]) => sentence(name).slice(0, -1) },
          {
            title: 'State',
            of: ([, state]: [string, string]) => (
              <span class={`state ${state === 'up' ? 'succeeded' : 'failed'}`}>
                <span aria-hidden="true">{state === 'up' ? '●' : '✕'}</span> {state}
              </span>
            ),
          },
        ]}
        rows={Object.entries(dependencies)}
      />
      {dashboardUrl && (
        <p>
          <a href={dashboardUrl} rel="noreferrer">
            Dashboard with the history of these values
          </a>
        </p>
      )}
    </>
  )
}

type OrgLoad = NonNullable<Overview['orgs']>[number]

/** Who uses the slots: each org has its share, so a long bar beside waiting runs shows who is in the way. */
function Orgs({ orgs, slots, isLinked }: { orgs: OrgLoad[]; slots: number; isLinked: boolean }) {
  const columns = [
    {
      title: 'Org',
      of: ({ orgName }: OrgLoad) => (isLinked ? <a href={jobsHref(orgName, 'open')}>{orgName}</a> : orgName),
    },
    { title: 'Slots', of: ({ running }: OrgLoad) => number.format(running), isNumber: true },
    {
      title: 'Of all slots',
      of: ({ orgName, running }: OrgLoad) => (
        <meter min={0} max={Math.max(1, slots)} value={running} aria-label={`Slots of ${orgName}`} />
      ),
    },
    { title: 'Runs not ended', of: ({ openRuns }: OrgLoad) => number.format(openRuns), isNumber: true },
  ]
  return <Table caption="Slots by org" columns={columns} rows={orgs} keyOf={({ orgName }) => orgName} />
}
