import type { ListPosition } from '../../shared/jobs/job.ts'
import { eachJob, pageSize } from '../../shared/jobs/job-list.ts'
import type { JobBrief, JobList } from '../../shared/jobs/job-records.ts'
import { jobView } from '../../wire/job.ts'
import type { ApiContext } from '../context.ts'
import { chunkedText } from '../http/body/chunked-text.ts'
import type { Answer, Input } from '../http/endpoint.ts'
import { listMemory } from '../http/list-memory.ts'

/**
 * Jobs that one page reads. Beyond this limit the page ends early, with `next`, so with a filter it may have fewer than
 * `limit`.
 */
const maxRead = 5_000
/** Bytes that a record may take while its page is read. */
const recordBytes = 16 * 1024

interface Asked {
  lists: readonly JobList[]
  limit: number
  after: ListPosition | null
  since?: number | undefined
  fits?: ((job: JobBrief) => boolean) | undefined
}

/** A page of jobs as JSON text. It counts against the memory of the token's lists until it is sent. */
export async function pageOfJobs(
  context: Pick<ApiContext, 'records' | 'listBudget'>,
  input: Pick<Input, 'signal' | 'principal'>,
  { lists, limit, after, since, fits }: Asked,
): Promise<Answer> {
  const most = limit + 1
  const held = listMemory(context, input)(Math.min(most, pageSize) * recordBytes)
  const texts: string[] = []
  let next: string | null = null
  let read = 0
  for await (const { job, position } of eachJob(context.records, lists, { after, most, since, fits })) {
    if (texts.length === limit || read === maxRead) return answerOf(texts, next)
    if (job) {
      const text = JSON.stringify(jobView(job))
      // A string takes up to two bytes for each character.
      held.add(2 * text.length)
      texts.push(text)
    }
    next = `${position.createdAt}.${position.id}`
    read++
  }
  return answerOf(texts, null)
}

function answerOf(texts: readonly string[], next: string | null): Answer {
  const jobs = texts.map((text, index) => `${index === 0 ? '' : ','}${text}`)
  const pieces = ['{"jobs":[', ...jobs, `],"next":${JSON.stringify(next)}}`]
  const bytes = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0)
  return { kind: 'chunks', chunks: chunkedText(pieces), headers: { 'Content-Length': String(bytes) } }
}
