import type { Redis } from 'ioredis'
import type { Slice } from '../../../wire/job.ts'
import { recordKey, slicesKey } from '../../redis/keys.ts'

/**
 * The slices of a large multi in progress, in order. Empty for other jobs, and when the job has ended. Beside the step
 * that joins the slices, each slice that is not done is an open run of the job.
 */
export async function readSlices(redis: Redis, id: string): Promise<Slice[]> {
  const [hash, runs] = await Promise.all([redis.hgetall(slicesKey(id)), redis.hget(recordKey(id), 'runs')])
  const fieldsOf = (name: string) => Object.keys(hash).filter((field) => field.endsWith(`:${name}`))
  const begun = fieldsOf('attempt').map((field) => Number.parseInt(field, 10))
  if (begun.length === 0) return []
  const count = Math.max(fieldsOf('done').length + Number(runs) - 1, ...begun.map((slice) => slice + 1))
  return Array.from({ length: count }, (_, slice) => {
    const of = (name: string) => hash[`${slice}:${name}`]
    const state = of('done') ? 'done' : Number(of('unended') ?? 0) > 0 ? 'running' : 'waiting'
    return { slice, state, attempt: Number(of('attempt') ?? 0), pairs: Math.max(0, Number(of('pairs') ?? 0)) }
  })
}
