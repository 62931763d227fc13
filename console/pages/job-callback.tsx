import { plural } from '../../client/format.ts'
import type { Job } from '../../wire/job.ts'
import { isFinished } from '../../wire/job-states.ts'
import { Advice } from '../ui/advice.tsx'
import { Time } from '../ui/pieces.tsx'

type Callback = NonNullable<Job['callback']>

const failureTexts: Record<NonNullable<Callback['lastFailure']>, string> = {
  notAllowed: 'CALLBACK_ALLOW does not allow the address that its host has now',
  unresolved: 'the name of its host does not resolve',
  refused: 'its host refused the connection',
  timedOut: 'it did not answer in time',
  certificate: 'its certificate is not trusted, or is for another name',
  brokeOff: 'the connection broke off',
}

/** What came of the last attempt. */
export function attemptText({ lastStatus, lastFailure, host }: Callback): string {
  const receiver = `The receiver${host ? ` at ${host}` : ''}`
  if (lastStatus !== null) {
    const isRedirect = lastStatus >= 300 && lastStatus < 400
    return `${receiver} answered ${lastStatus}${isRedirect ? ', and the service follows no redirects' : ''}.`
  }
  return `${receiver} did not answer${lastFailure ? `: ${failureTexts[lastFailure]}` : ''}.`
}

/** Whether the callback arrived, and if not, why, and what comes next. */
export function Callback({ job }: { job: Job }) {
  const { callback } = job
  if (callback === null) {
    return (
      <>
        <h2>Callback</h2>
        <p>The publish asked for no callback.</p>
      </>
    )
  }
  const { state, attempts, lastAttemptAt, nextAttemptAt } = callback
  return (
    <>
      <h2>Callback</h2>
      <div aria-live="polite" class={state === 'failed' ? 'problem' : ''}>
        <p>{stateText(job, callback)}</p>
        {attempts > 0 && <p>{attemptText(callback)}</p>}
        {lastAttemptAt && (
          <p class="quiet">
            Last attempt: <Time at={lastAttemptAt} isWhole />
            {state === 'due' && nextAttemptAt && (
              <>
                . Next: <Time at={nextAttemptAt} isWhole />
              </>
            )}
          </p>
        )}
      </div>
      {state !== 'delivered' && attempts > 0 && <Advice about="callback" />}
    </>
  )
}

function stateText(job: Job, { state, attempts }: Callback): string {
  if (state === 'delivered') return `The callback was delivered, at attempt ${attempts}.`
  if (state === 'failed')
    return `The callback was not delivered. The service gave up after ${plural(attempts, 'attempt')}.`
  if (attempts > 0)
    return `The callback has not been delivered in ${plural(attempts, 'attempt')}. The service tries up to 8 times, over 28 hours.`
  return isFinished(job)
    ? 'The service is about to send the callback.'
    : 'The service sends the callback when the job has ended.'
}
