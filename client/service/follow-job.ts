import type { Job } from '../../wire/job.ts'
import { type Context, warn } from '../context.ts'
import { Failure } from '../exit.ts'
import { packetText, pauseLines } from '../format.ts'
import { type ProgressKind, startProgress } from '../progress.ts'
import type { Client } from './client.ts'

/** Follows a job to its end. */
export async function followJob(
  context: Context,
  client: Client,
  id: string,
  kind?: ProgressKind,
  stage?: string,
): Promise<Job> {
  const progress = startProgress(context.stderr, kind, stage)
  let last: Job | undefined
  let said = ''
  try {
    for await (const job of client.follow(id, context.signal)) {
      last = job
      const [pause = ''] = job.state === 'queued' ? pauseLines(job) : []
      if (pause !== said && pause !== '') warn(context, pause)
      said = pause
      const { phase, subRequests, subRequestsDone, pairs, parts, bytes } = job.progress
      progress.update({
        done: subRequestsDone,
        total: subRequests,
        count: pairs,
        text: `${phase}: ${packetText(pairs, parts, bytes)}`,
      })
    }
  } catch (error) {
    progress.stop()
    warn(context, `the job continues at the service; follow it with: packets job ${id} --follow`)
    throw error
  }
  progress.stop()
  return last as Job
}

/** @throws Failure (service) if the job failed or was cancelled */
export function requireSucceeded({ id, state, error }: Job): void {
  if (state !== 'succeeded')
    throw new Failure('service', `the job ${id} ${state === 'failed' ? `failed: ${error?.message}` : 'was cancelled'}`)
}
