import { useEffect, useState } from 'preact/hooks'
import { useRoute } from 'preact-iso'
import { number, plural, reportLines, size } from '../../client/format.ts'
import { isFinished } from '../../client/job-states.ts'
import { path } from '../../client/requests.ts'
import type { Job as JobRecord, ModelReport } from '../../client/service-types.ts'
import { jobsHref, orgHref, packetHref } from '../links.ts'
import { mayWrite, noticeRefusal, type Session, useSignedIn } from '../session.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Page } from '../ui/page.tsx'
import { Copy, Facts, State, Table, Time } from '../ui/pieces.tsx'
import { Problem } from '../ui/shown.tsx'

/** A job as it changes. Its event stream closes when the page is left. */
export function Job() {
  const { id = '' } = useRoute().params
  const session = useSignedIn()
  const { job, error, again } = useJob(session, id)
  return (
    <Page title="Job">
      {error && <Problem error={error} again={again} />}
      {job && <Details job={job} session={session} again={again} />}
    </Page>
  )
}

function useJob(session: Session, id: string) {
  const [job, setJob] = useState<JobRecord | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const [round, setRound] = useState(0)
  useEffect(() => {
    const left = new AbortController()
    async function follow(): Promise<void> {
      for await (const seen of session.client.follow(id, left.signal)) {
        setJob(seen)
        setError(null)
      }
    }
    follow().catch((failure) => {
      if (left.signal.aborted) return
      noticeRefusal(failure)
      setError(failure)
    })
    return () => left.abort()
  }, [session, id, round])
  return { job: job?.id === id ? job : null, error, again: () => setRound((count) => count + 1) }
}

interface DetailsProps {
  job: JobRecord
  session: Session
  again: () => void
}

function Details({ job, session, again }: DetailsProps) {
  const { id, kind, state, orgName, fileName, attempt, progress, error, report, callback, createdAt } = job
  const { startedAt, finishedAt, expiresAt } = job
  const cancel = () => session.client.cancel(id).then(again)
  const callBack = () => session.ask('POST', path`/1.0/jobs/${id}/callback`, {}).then(again)
  const isOpen = !isFinished(job)
  return (
    <>
      <p class="lead" aria-live="polite">
        <State state={state} />{' '}
        {state === 'succeeded' ? (
          <a href={packetHref(orgName, fileName)}>
            {orgName}/{fileName}
          </a>
        ) : (
          <strong>
            {orgName}/{fileName}
          </strong>
        )}
      </p>
      {error && (
        <div class="problem">
          <p>{error.message}</p>
          <p class="quiet">
            <code>{error.code}</code>, status {error.status}
          </p>
        </div>
      )}
      {isOpen && <Progress job={job} />}
      <Facts
        of={[
          ['Phase', progress.phase],
          ['Sub-requests', `${number.format(progress.subRequestsDone)} of ${number.format(progress.subRequests)}`],
          ['Pairs', number.format(progress.pairs)],
          ['Parts', number.format(progress.parts)],
          ['Size', size(progress.bytes)],
          ['Attempt', number.format(attempt)],
          ['Kind', kind],
          ['Submitted', <Time at={createdAt} />],
          ['Started', startedAt ? <Time at={startedAt} /> : 'not yet'],
          ['Finished', finishedAt ? <Time at={finishedAt} /> : 'not yet'],
          ...(expiresAt ? [['Packet expires', <Time at={expiresAt} />] as const] : []),
          ['Org', <a href={orgHref(orgName)}>{orgName}</a>],
          ['Jobs of the org', <a href={jobsHref(orgName)}>list</a>],
        ]}
      />
      <h2>Callback</h2>
      {callback ? (
        <Facts
          of={[
            ['State', callback.state],
            ['Attempts', number.format(callback.attempts)],
            [
              'Last answer',
              callback.lastStatus === null
                ? 'none: the receiver was not reached, or did not answer'
                : `status ${callback.lastStatus}`,
            ],
          ]}
        />
      ) : (
        <p>The publish asked for no callback.</p>
      )}
      {report && <Report report={report} />}
      <div class="actions">
        {isOpen && mayWrite(session) && (
          <Confirm title="Cancel the job" act={cancel}>
            <p>
              The packet{' '}
              <strong>
                {orgName}/{fileName}
              </strong>{' '}
              is not published. Workers stop at the next step.
            </p>
          </Confirm>
        )}
        {!isOpen && callback && mayWrite(session) && (
          <Confirm title="Send the callback again" act={callBack}>
            <p>The callback is due again, with all its attempts.</p>
          </Confirm>
        )}
        <Copy text={id}>Copy the id</Copy>
        <Copy text={`curl -H "Authorization: Bearer $TOKEN" ${location.origin}/1.0/jobs/${id}`}>Copy as curl</Copy>
        <Copy text={`packets job ${id} --url ${location.origin}`}>Copy as packets</Copy>
      </div>
    </>
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
          <li key={line}>{line}</li>
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
