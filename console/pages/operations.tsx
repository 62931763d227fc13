import { useEffect, useRef } from 'preact/hooks'
import { number, size } from '../../client/format.ts'
import type { Overview } from '../../client/service-types.ts'
import { useAsked } from '../data.ts'
import { jobsHref } from '../links.ts'
import { useSignedIn } from '../session.ts'
import { Page } from '../ui/page.tsx'
import { Facts, Table, Time } from '../ui/pieces.tsx'
import { type Measured, Plot } from '../ui/plot.tsx'
import { Shown } from '../ui/shown.tsx'

const everyMs = 5_000
// Ten minutes.
const mostMeasured = 120

/** The queue, the workers and the dependencies, with what they were since the page was opened. */
export function Operations() {
  const { client, who } = useSignedIn()
  const asked = useAsked(['overview', who.name], (signal) => client.overview(signal), everyMs)
  const measured = useRef<Measured[]>([])
  const { data, answeredAt } = asked
  useEffect(() => {
    if (data?.queue == null || data.workers === null) return
    const { waiting, running, oldestWaitSeconds } = data.queue
    measured.current.push({ at: answeredAt / 1_000, waiting, running, oldestWaitSeconds, busy: data.workers.busy })
    if (measured.current.length > mostMeasured) measured.current.shift()
  }, [data, answeredAt])
  return (
    <Page title="Operations">
      <Shown of={asked}>{(overview) => <Now overview={overview} measured={measured.current} />}</Shown>
    </Page>
  )
}

function Now({
  overview: { dependencies, queue, workers, redis, lastSweep },
  measured,
}: {
  overview: Overview
  measured: Measured[]
}) {
  return (
    <>
      <Table
        caption="Dependencies"
        columns={[
          { title: 'Dependency', of: ([name]: [string, string]) => name },
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
      {queue === null || workers === null || redis === null ? (
        <p class="problem" role="alert">
          Redis does not answer, so the queue is not known.
        </p>
      ) : (
        <>
          <Facts
            of={[
              ['Waiting', number.format(queue.waiting)],
              ['Running', number.format(queue.running)],
              ['Delayed', number.format(queue.delayed)],
              ['Waiting for slices', number.format(queue.waitingForSlices)],
              ['Oldest wait', `${number.format(Math.round(queue.oldestWaitSeconds))} s`],
              ['Open runs', `${number.format(queue.openRuns)} of ${number.format(queue.openRunsLimit)}`],
              ['Callbacks due', number.format(queue.callbacksDue)],
              ['Workers', number.format(workers.count)],
              ['Slots busy', `${number.format(workers.busy)} of ${number.format(workers.slots)}`],
              [
                'Redis memory',
                `${size(redis.memoryBytes)}${redis.memoryLimitBytes > 0 ? ` of ${size(redis.memoryLimitBytes)}` : ''}`,
              ],
              ['Last sweep', lastSweep === null ? 'not within a day' : <Time at={lastSweep} />],
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
      <p>
        <a href={jobsHref('', 'open')}>Unfinished jobs</a>
      </p>
    </>
  )
}
