import { useEffect, useState } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import { printableLine } from '../../client/context.ts'
import { delay } from '../../client/delay.ts'
import { number, plural, reportLines, size } from '../../client/format.ts'
import { path } from '../../client/requests.ts'
import type { Job as JobRecord, ModelReport } from '../../wire/job.ts'
import { isFinished } from '../../wire/job-states.ts'
import { mayPass, pauseMs } from '../data.ts'
import { jobsHref, orgHref, packetHref } from '../links.ts'
import { mayWrite, type Session, useSignedIn } from '../session.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Page } from '../ui/page.tsx'
import { Copy, Facts, State, Table, Time } from '../ui/pieces.tsx'
import { Problem, Skeleton, Stale, sentence } from '../ui/shown.tsx'

// The table of errors in the contract, put in when the console is built.
declare const DOCUMENTED_ERRORS: Record<string, string>

const everyMs = 5_000

/** A job as it changes. Its event stream closes when the page is left. */
export function Job() {
  const { id = '' } = useRoute().params
  return <Followed key={id} id={id} />
}

function Followed({ id }: { id: string }) {
  const session = useSignedIn()
  const { job, answeredAt, error, again } = useJob(session, id)
  return (
    <Page title={job ? `Job ${job.orgName}/${job.fileName}` : 'Job'}>
      {!error && !job && <Skeleton isLoading />}
      {error && !job && <Problem error={error} again={again} />}
      {error && job && <Stale error={error} answeredAt={answeredAt} isRepeated={mayPass(error)} again={again} />}
      {job && <Details job={job} session={session} again={again} />}
    </Page>
  )
}

/** Whether the tab is visible. */
function useVisible(): boolean {
  const [isVisible, setVisible] = useState(!document.hidden)
  useEffect(() => {
    const look = () => setVisible(!document.hidden)
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  return isVisible
}

/**
 * The job as its event stream reports it, then as its callback proceeds. Begins again after a fault that may pass. It
 * does so only while the tab is visible, because a browser has six connections to a service and each stream takes one.
 */
function useJob(session: Session, id: string) {
  const [job, setJob] = useState<JobRecord | null>(null)
  const [answeredAt, setAnsweredAt] = useState(0)
  const [error, setError] = useState<Error | null>(null)
  const [round, setRound] = useState(0)
  const again = () => setRound((count) => count + 1)
  const isVisible = useVisible()
  useEffect(() => {
    if (!isVisible) return
    const left = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    function show(seen: JobRecord): void {
      setJob(seen)
      setAnsweredAt(Date.now())
      setError(null)
    }
    async function follow(): Promise<void> {
      let last = await session.client.job(id, 0, left.signal)
      show(last)
      for await (const seen of isFinished(last) ? [] : session.client.follow(id, left.signal)) {
        last = seen
        show(last)
      }
      while (last.callback?.state === 'due') {
        await delay(everyMs, left.signal)
        last = await session.client.job(id, 0, left.signal)
        show(last)
      }
    }
    follow().catch((failure) => {
      if (left.signal.aborted) return
      setError(failure)
      if (mayPass(failure)) timer = setTimeout(again, pauseMs(failure))
    })
    return () => {
      left.abort()
      clearTimeout(timer)
    }
  }, [session, id, round, isVisible])
  return { job, answeredAt, error, again }
}

interface DetailsProps {
  job: JobRecord
  session: Session
  again: () => void
}

function Details({ job, session, again }: DetailsProps) {
  const { state, orgName, fileName, attempt, progress, error, report, createdAt } = job
  const { startedAt, finishedAt, expiresAt } = job
  const isOpen = !isFinished(job)
  return (
    <>
      <p class="lead" aria-live="polite">
        <State state={state} />
      </p>
      {job.paused && (
        <p class="stale" role="status">
          The queue was paused
          {job.paused.since && (
            <>
              {' '}
              <Time at={job.paused.since} />
            </>
          )}
          . The job will {state === 'queued' ? 'start' : 'continue'} when it is resumed.
        </p>
      )}
      {state === 'succeeded' && (
        <p>
          The job published <a href={packetHref(orgName, fileName)}>{printableLine(fileName)}</a>.
        </p>
      )}
      {error && (
        <div class="problem">
          <p>{sentence(error.message)}</p>
          <p class="quiet">
            <code>{error.code}</code>, status {error.status}
            {DOCUMENTED_ERRORS[error.code] && `: ${DOCUMENTED_ERRORS[error.code]}`}
          </p>
        </div>
      )}
      {isOpen && <Progress job={job} />}
      <Actions job={job} session={session} again={again} />
      <Facts
        of={[
          ...(isOpen ? [['Phase', progress.phase] as const] : []),
          ['Sub-requests', `${number.format(progress.subRequestsDone)} of ${number.format(progress.subRequests)}`],
          ['Pairs', number.format(progress.pairs)],
          ['Parts', number.format(progress.parts)],
          ['Size', size(progress.bytes)],
          ['Attempt', number.format(attempt)],
          ['Submitted', <Time at={createdAt} />],
          ['Started', startedAt ? <Time at={startedAt} /> : 'not yet'],
          ['Finished', finishedAt ? <Time at={finishedAt} /> : 'not yet'],
          ...(expiresAt ? [['Packet expires', <Time at={expiresAt} />] as const] : []),
          ['Org', <a href={orgHref(orgName)}>packets of {orgName}</a>],
          ['Other jobs', <a href={jobsHref(orgName)}>jobs of {orgName}</a>],
        ]}
      />
      <h2>Callback</h2>
      <p aria-live="polite">{callbackText(job)}</p>
      {report && <Report report={report} />}
    </>
  )
}

/** Whether the callback arrived, and if not, why, and what comes next. */
function callbackText(job: JobRecord): string {
  const { callback } = job
  if (callback === null) return 'The publish asked for no callback.'
  const { state, attempts, lastStatus } = callback
  const answer =
    lastStatus === null ? 'The service got no answer from the receiver' : `The receiver answered ${lastStatus}`
  if (state === 'delivered') return `The callback was delivered. ${answer}, at attempt ${attempts}.`
  if (state === 'failed')
    return `The callback was not delivered. ${answer}, and the service gave up after ${plural(attempts, 'attempt')}.`
  if (attempts > 0) return `${answer}, at attempt ${attempts}. The service tries up to 8 times, over 28 hours.`
  return isFinished(job)
    ? 'The service is about to send the callback.'
    : 'The service sends the callback when the job has ended.'
}

function Actions({ job, session, again }: DetailsProps) {
  const { id, orgName, fileName, callback } = job
  const isOpen = !isFinished(job)
  const cancel = () => session.client.cancel(id).then(again)
  const callBack = () => session.client.ask('POST', path`/1.0/jobs/${id}/callback`, {}).then(again)
  return (
    <div class="actions">
      {isOpen && mayWrite(session) && (
        <Confirm title="Cancel the job" refusal="Let it run" act={cancel}>
          <p>
            The service will not publish <strong>{printableLine(`${orgName}/${fileName}`)}</strong>.
          </p>
        </Confirm>
      )}
      {!isOpen && callback && mayWrite(session) && (
        <Confirm title="Send the callback again" refusal="Do not send it" isHarmless act={callBack}>
          <p>The service will send the callback again, up to 8 times.</p>
        </Confirm>
      )}
      <Copy text={() => id}>Copy the id</Copy>
      <Copy text={() => `curl -H "Authorization: Bearer $TOKEN" ${location.origin}/1.0/jobs/${id}`}>Copy as curl</Copy>
      <Copy text={() => `packets job ${id} --url ${location.origin}`}>Copy as packets</Copy>
    </div>
  )
}

/** Sub-requests that are done, of all; pairs may follow at any rate, so there is no other percentage. */
function Progress({ job: { progress, startedAt } }: { job: JobRecord }) {
  const { subRequests, subRequestsDone, pairs } = progress
  const seconds = startedAt === null ? 0 : (Date.now() - Date.parse(startedAt)) / 1_000
  return (
    <p>
      <progress max={Math.max(1, subRequests)} value={subRequestsDone} aria-label="Sub-requests that are done" />{' '}
      {seconds > 1 && pairs > 0 ? `${number.format(Math.round(pairs / seconds))} pairs a second since it started` : ''}
    </p>
  )
}

function Report({ report }: { report: NonNullable<JobRecord['report']> }) {
  const lines = reportLines(report)
  const { model } = report
  return (
    <>
      <h2>Report</h2>
      {lines.length === 0 ? <p>Nothing is missing, skipped or collapsed.</p> : null}
      <ul>
        {lines.map((line) => (
          <li key={line}>{printableLine(line)}</li>
        ))}
      </ul>
      {model && model.violations.count > 0 && <Violations violations={model.violations} />}
    </>
  )
}

type Violation = ModelReport['violations']['first'][number]

function Violations({ violations: { count, first } }: Pick<ModelReport, 'violations'>) {
  const columns = [
    { title: 'Node', of: ({ label, id }: Violation) => `${label} ${id}` },
    { title: 'Property', of: ({ property }: Violation) => property ?? '' },
    { title: 'Rule', of: ({ rule }: Violation) => rule },
    { title: 'Problem', of: ({ problem }: Violation) => problem },
  ]
  return (
    <Table
      caption={`${plural(count, 'violation')} of the model, the first ${first.length}`}
      columns={columns}
      rows={first}
    />
  )
}
