import { plural } from '../../client/format.ts'
import { path } from '../../client/service/requests.ts'
import type { Job } from '../../wire/job.ts'
import { isFinished } from '../../wire/job-states.ts'
import type { Session } from '../session.ts'
import { Confirm } from '../ui/confirm.tsx'

interface Props {
  jobs: readonly Job[]
  session: Session
  done: () => void
}

/** What can be done with the selected jobs, one after the other. */
export function SelectedJobs({ jobs, session, done }: Props) {
  const open = jobs.filter((job) => !isFinished(job))
  const ended = jobs.filter((job) => isFinished(job) && job.callback !== null)
  if (jobs.length === 0) return null
  const each = (some: readonly Job[], act: (job: Job) => Promise<unknown>) => async () => {
    const refused: string[] = []
    for (const job of some) {
      await act(job).catch((error: Error) => refused.push(`${job.fileName}: ${error.message}`))
    }
    // The selection stays, or the dialog would go with the reason.
    if (refused.length > 0) throw new Error(`${refused.length} of ${some.length} were refused: ${refused.join('; ')}`)
    done()
  }
  return (
    <div class="actions selected">
      <span role="status">{plural(jobs.length, 'job')} selected</span>
      {open.length > 0 && (
        <Confirm
          title={`Cancel ${plural(open.length, 'job')}`}
          refusal={open.length === 1 ? 'Let it run' : 'Let them run'}
          act={each(open, ({ id }) => session.client.cancel(id))}
        >
          <p>The service will not publish their packets.</p>
        </Confirm>
      )}
      {ended.length > 0 && (
        <Confirm
          title={`Send ${plural(ended.length, 'callback')} again`}
          refusal="Send nothing"
          isHarmless
          act={each(ended, ({ id }) => session.client.ask('POST', path`/1.0/jobs/${id}/callback`, {}))}
        >
          <p>The service will send each up to 8 times.</p>
        </Confirm>
      )}
    </div>
  )
}
