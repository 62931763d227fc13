import { number, plural } from '../../client/format.ts'
import { durationText } from '../../client/remaining.ts'
import type { Overview } from '../../wire/overview.ts'
import { sentence } from '../ui/shown.tsx'

/** Share of the queue's limit from which it is nearly full. */
const nearlyFull = 0.8
/** From this age of a job that no worker has begun, work is slow. */
const slowSeconds = 60

/** What an operator must know at once: whether something is wrong, and how busy the service is. */
export function Verdict({ overview }: { overview: Overview }) {
  const problems = problemsOf(overview)
  return (
    <div class={problems.length > 0 ? 'problem' : 'good'}>
      <p class="lead" role="status">
        {problems.length === 0 ? 'All answers.' : problems.map(sentence).join(' ')}
      </p>
      <p>{loadText(overview)}</p>
      <p>{lastHourText(overview)}</p>
    </div>
  )
}

function problemsOf({ dependencies, queue, workers, jobs, lastHour }: Overview): string[] {
  const down = Object.keys(dependencies).filter((name) => dependencies[name] === 'down')
  const open = (jobs?.queued ?? 0) + (jobs?.running ?? 0)
  return [
    ...(down.length > 0 ? [`${down.join(' and ')} ${down.length === 1 ? 'does' : 'do'} not answer`] : []),
    ...(queue === null && !down.includes('redis') ? ['redis does not answer in time'] : []),
    ...(queue?.paused ? ['the queue is paused'] : []),
    ...(workers?.count === 0 ? [open > 0 ? `no worker runs, and ${plural(open, 'job')} wait` : 'no worker runs'] : []),
    ...(queue && queue.openRuns >= nearlyFull * queue.openRunsLimit ? ['the queue is nearly full'] : []),
    ...(queue && !queue.paused && queue.oldestWaitSeconds > slowSeconds
      ? [`a job has waited for ${durationText(queue.oldestWaitSeconds)}`]
      : []),
    ...(lastHour && lastHour.callbacksFailed > 0 ? [`${plural(lastHour.callbacksFailed, 'callback')} failed`] : []),
  ]
}

function loadText({ queue, workers }: Overview): string {
  if (queue === null || workers === null) return 'The queue and the workers are not known.'
  const waits = queue.waiting === 0 ? 'no run waits' : `${plural(queue.waiting, 'run')} wait`
  return `${plural(workers.count, 'worker')}, ${number.format(workers.busy)} of ${plural(workers.slots, 'slot')} busy, ${waits}.`
}

function lastHourText({ lastHour }: Overview): string {
  if (!lastHour) return ''
  const { succeeded, failed, cancelled, pairs } = lastHour
  const rate = pairs === 0 ? '' : `, ${plural(Math.ceil(pairs / 3_600), 'pair')} a second`
  return `In the last hour ${number.format(succeeded)} succeeded, ${number.format(failed)} failed, ${number.format(cancelled)} were cancelled${rate}.`
}
