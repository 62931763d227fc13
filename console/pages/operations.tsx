import { useRef } from 'preact/hooks'
import { number, size } from '../../client/format.ts'
import type { Overview } from '../../wire/overview.ts'
import { useAsked } from '../data.ts'
import { jobsHref } from '../links.ts'
import { mayRead, type Session, useSignedIn } from '../session.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Page } from '../ui/page.tsx'
import { Facts, Table, Time } from '../ui/pieces.tsx'
import { type Measured, Plot } from '../ui/plot.tsx'
import { Shown, sentence } from '../ui/shown.tsx'

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
            {overview.queue && <Pause paused={overview.queue.paused} session={session} again={asked.again} />}
            <Now overview={overview} measured={measured.current} isLinked={mayRead(session)} />
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

function Pause({ paused, session, again }: PauseProps) {
  const mayChange = session.who.scopes.includes('ops:write')
  const send = (to: string) => () => session.client.ask('POST', `/1.0/ops/${to}`, {}).then(again)
  return (
    <>
      {paused && (
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
      )}
      {mayChange && (
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
      )}
    </>
  )
}

function Now({
  overview: { dependencies, queue, workers, redis, lastSweep, dashboardUrl },
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
      {queue === null || workers === null || redis === null ? (
        <p class="problem" role="alert">
          Redis does not answer, so the queue is not known.
        </p>
      ) : (
        <>
          <Facts
            of={[
              ['Waiting', jobsIn('queued', queue.waiting)],
              ['Running', jobsIn('running', queue.running)],
              ['Waiting to run again', number.format(queue.delayed)],
              ['Multis waiting for their slices', number.format(queue.waitingForSlices)],
              ['Oldest wait', `${number.format(Math.round(queue.oldestWaitSeconds))} s`],
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
            title="Jobs"
            measured={measured}
            lines={[
              ['waiting', 'waiting'],
              ['running', 'running'],
              ['slots busy', 'busy'],
            ]}
          />
          <Plot title="Oldest wait, seconds" measured={measured} lines={[['seconds', 'oldestWaitSeconds']]} />
        </>
      )}
    </>
  )
}
