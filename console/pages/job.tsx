import { useEffect, useState } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import { printableLine } from '../../client/context.ts'
import { number, plural, reportLines, size } from '../../client/format.ts'
import { durationText, remainingSeconds } from '../../client/remaining.ts'
import { delay } from '../../client/service/delay.ts'
import { path } from '../../client/service/requests.ts'
import type { JobFailure, Job as JobRecord, ModelReport, Slice } from '../../wire/job.ts'
import { isFinished } from '../../wire/job-states.ts'
import { mayPass, pauseMs, useAsked } from '../data.ts'
import { jobsHref, orgHref, packetHref, withQuery } from '../links.ts'
import { mayWrite, type Session, useSignedIn } from '../session.ts'
import { Advice } from '../ui/advice.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Page } from '../ui/page.tsx'
import { Copy, clockText, Facts, State, Table, Time } from '../ui/pieces.tsx'
import { AsOf, Problem, Skeleton, Stale, sentence } from '../ui/shown.tsx'
import { attemptText, Callback } from './job-callback.tsx'

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
      <nav aria-label="Path" class="tabs">
        <a href="/console/jobs">Jobs</a>
        {job && <a href={jobsHref(job.orgName)}>Jobs of {job.orgName}</a>}
      </nav>
      {!error && !job && <Skeleton isLoading />}
      {error && !job && <Problem error={error} again={again} />}
      {error && job && <Stale error={error} answeredAt={answeredAt} isRepeated={mayPass(error)} again={again} />}
      {job && <Details job={job} session={session} again={again} />}
      {job && !error && !isFinished(job) && <Alive session={session} />}
    </Page>
  )
}

const aliveEveryMs = 5_000

/** When the service last answered: where a job does not change, its event stream does not tell whether that stands still. */
function Alive({ session: { client, who } }: { session: Session }) {
  const asked = useAsked(['alive', who.name], (signal) => client.whoami(signal), aliveEveryMs)
  return asked.data ? <AsOf of={asked} /> : null
}

/** Fields that a service lacks which is about to be replaced by a newer one. */
const ofNewerServices = { waiting: null, failures: [] }

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
      setJob({ ...ofNewerServices, ...seen })
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
  const { id, state, orgName, fileName, error, report } = job
  const isOpen = !isFinished(job)
  const nothingPublished = state === 'failed' || state === 'cancelled'
  return (
    <>
      <p class="lead" aria-live="polite">
        <State state={state} />
      </p>
      {isOpen && <Waits job={job} />}
      {state === 'succeeded' && (
        <p>
          The job published <a href={packetHref(orgName, fileName)}>{printableLine(fileName)}</a>.
        </p>
      )}
      {error && (
        <div class="problem">
          <p>{sentence(error.message)}</p>
          <p class="quiet">
            Error <code>{error.code}</code>, status {error.status}
          </p>
        </div>
      )}
      {nothingPublished && <p>The job published nothing. A packet of the same name from before is as it was.</p>}
      {isOpen && <Progress job={job} session={session} />}
      <Actions job={job} session={session} again={again} />
      {error && (
        <Advice about={error.code}>
          <p>
            The log of the workers has more: search it for <code>{id}</code>.
          </p>
          {mayWrite(session) && (
            <p>
              <a href={withQuery('/console/publish', { org: orgName, name: fileName })}>Compose the publish again</a>.
              The service does not keep the requests of jobs that have ended.
            </p>
          )}
        </Advice>
      )}
      <Failures failures={job.failures} />
      <Facts of={factsOf(job)} />
      <Callback job={job} />
      {report && <Report report={report} />}
    </>
  )
}

function factsOf(job: JobRecord) {
  const { id, state, orgName, attempt, progress, createdAt, startedAt, finishedAt, expiresAt } = job
  const isOpen = !isFinished(job)
  const hasMade = progress.pairs > 0 || state === 'succeeded'
  const ended = finishedAt === null ? Date.now() : Date.parse(finishedAt)
  return [
    ...(isOpen ? [['Phase', progress.phase] as const] : []),
    ['Sub-requests', `${number.format(progress.subRequestsDone)} of ${number.format(progress.subRequests)}`] as const,
    ...(hasMade
      ? [
          ['Pairs', number.format(progress.pairs)] as const,
          ['Parts', number.format(progress.parts)] as const,
          ['Size', size(progress.bytes)] as const,
        ]
      : []),
    ['Attempts', number.format(attempt)] as const,
    ['Submitted', <Time at={createdAt} isWhole />] as const,
    ['Started', startedAt ? <Time at={startedAt} isWhole /> : 'not yet'] as const,
    ['Finished', finishedAt ? <Time at={finishedAt} isWhole /> : 'not yet'] as const,
    ['Waited', durationText(((startedAt ? Date.parse(startedAt) : ended) - Date.parse(createdAt)) / 1_000)] as const,
    ...(startedAt ? [['Took', durationText((ended - Date.parse(startedAt)) / 1_000)] as const] : []),
    ...(expiresAt ? [['Packet expires', <Time at={expiresAt} isWhole />] as const] : []),
    ['Id', <code>{id}</code>] as const,
    ['Org', <a href={orgHref(orgName)}>packets of {orgName}</a>] as const,
  ]
}

/** Why an unfinished job does not go on. */
function Waits({ job: { state, paused, waiting, failures } }: { job: JobRecord }) {
  const verb = state === 'queued' ? 'start' : 'continue'
  if (paused) {
    return (
      <p class="stale" role="status">
        The queue was paused {paused.since && <Time at={paused.since} />}. The job will {verb} when it is resumed.
      </p>
    )
  }
  if (waiting === null) return null
  const { reason, ahead, until } = waiting
  if (reason === 'noWorker') {
    return (
      <p class="stale" role="status">
        No worker is running. The job will {verb} when a worker has started.
      </p>
    )
  }
  if (reason === 'turn') {
    return (
      <p role="status">
        The job waits for its turn{ahead ? `, behind ${plural(ahead, 'other run')}` : ', and is the next'}. It will{' '}
        {verb} when a worker has a free slot.
      </p>
    )
  }
  return (
    <p class="stale" role="status">
      {failures.length > 0 ? 'The last run failed, see below. ' : 'The run was put off. '}
      The next one begins <Time at={until as string} />.
    </p>
  )
}

function Failures({ failures }: { failures: JobRecord['failures'] }) {
  if (failures.length === 0) return null
  const columns = [
    { title: 'Failed', of: ({ at }: JobFailure) => <Time at={at} isWhole /> },
    { title: 'Attempt', of: ({ attempt }: JobFailure) => number.format(attempt), isNumber: true },
    ...(failures.some(({ slice }) => slice !== null)
      ? [
          {
            title: 'Slice',
            of: ({ slice }: JobFailure) => (slice === null ? '' : number.format(slice + 1)),
            isNumber: true,
          },
        ]
      : []),
    { title: 'Code', of: ({ code }: JobFailure) => <code>{code}</code> },
    { title: 'Cause', of: ({ message }: JobFailure) => message },
  ]
  return <Table caption="Runs that failed" columns={columns} rows={failures} />
}

function Actions({ job, session, again }: DetailsProps) {
  const { id, orgName, fileName, callback } = job
  const isOpen = !isFinished(job)
  const [sent, setSent] = useState<{ at: string; before: string | null } | null>(null)
  const cancel = () => session.client.cancel(id).then(again)
  const callBack = async () => {
    await session.client.ask('POST', path`/1.0/jobs/${id}/callback`, {})
    setSent({ at: new Date().toISOString(), before: callback?.lastAttemptAt ?? null })
    again()
  }
  const isAnswered =
    sent !== null && callback !== null && callback.attempts > 0 && callback.lastAttemptAt !== sent.before
  return (
    <>
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
        <Copy text={() => `curl -H "Authorization: Bearer $TOKEN" ${location.origin}/1.0/jobs/${id}`}>
          Copy as curl
        </Copy>
        <Copy text={() => `packets job ${id} --url ${location.origin}`}>Copy the command packets job</Copy>
      </div>
      {sent && (
        <p role="status">
          Sent again at {clockText(sent.at)}.{' '}
          {isAnswered && callback ? attemptText(callback) : 'The receiver has not answered yet.'}
        </p>
      )}
    </>
  )
}

/** Sub-requests that are done, of all, about how long the others take, and the slices of a large multi. */
function Progress({ job, session }: { job: JobRecord; session: Session }) {
  const { id, kind, state, attempt, progress, startedAt } = job
  const { subRequests, subRequestsDone, pairs } = progress
  const seconds = startedAt === null ? 0 : (Date.now() - Date.parse(startedAt)) / 1_000
  // A further attempt begins with nothing, at a time that the job does not say.
  const left = attempt > 1 ? null : remainingSeconds(subRequestsDone, subRequests, seconds)
  const share = `${Math.floor((100 * subRequestsDone) / Math.max(1, subRequests))} %`
  return (
    <>
      <p>
        <progress max={Math.max(1, subRequests)} value={subRequestsDone} aria-label="Sub-requests that are done" />{' '}
        {[
          subRequests > 1 || subRequestsDone > 0 ? share : [],
          left === null ? [] : `about ${durationText(left)} left`,
          seconds > 1 && pairs > 0
            ? `${number.format(Math.round(pairs / seconds))} pairs a second since it started`
            : [],
        ]
          .flat()
          .join(', ')}
      </p>
      {kind === 'multi' && state === 'running' && <Slices id={id} session={session} />}
    </>
  )
}

const slicesEveryMs = 2_000
const sliceMarks = { waiting: '◌', running: '◐', done: '●' } as const

function Slices({ id, session: { client, who } }: { id: string; session: Session }) {
  const { data } = useAsked(
    ['slices', who.name, id],
    (signal) => client.ask<{ slices: Slice[] }>('GET', path`/1.0/jobs/${id}/slices`, { signal }),
    slicesEveryMs,
  )
  const slices = data?.slices ?? []
  if (slices.length === 0) return null
  const count = (state: Slice['state']) => slices.filter((slice) => slice.state === state).length
  const again = slices.filter(({ attempt, state }) => attempt > 1 && state !== 'done').length
  return (
    <>
      <p>
        {plural(slices.length, 'slice')}: {count('done')} done, {plural(count('running'), 'run')} under way,{' '}
        {count('waiting')} waiting{again > 0 ? `, ${again} again` : ''}
      </p>
      <p class="slices" aria-hidden="true">
        {slices.map(({ slice, state, attempt, pairs }) => (
          <span
            key={slice}
            class={attempt > 1 && state !== 'done' ? 'again' : state}
            title={`slice ${slice + 1}: ${state}, ${plural(pairs, 'pair')}${attempt > 1 ? `, attempt ${attempt}` : ''}`}
          >
            {attempt > 1 && state !== 'done' ? '↻' : sliceMarks[state]}
          </span>
        ))}
      </p>
    </>
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
