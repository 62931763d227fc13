import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { Client } from 'minio'
import { inject, vi } from 'vitest'
import { createJobRecords } from '../../../shared/jobs/job-records.ts'
import { queueName, queuePrefix, recordKey, secretKeyOf } from '../../../shared/redis/keys.ts'

/** Everything the service keeps for an org, hidden objects included. */
export interface Traces {
  objects: string[]
  /** Names claimed by jobs. */
  claims: string[]
  /** Jobs that are unfinished in their record or the queue, or still have credentials. */
  unfinished: string[]
}

/** Reads the service's storage directly. Holds a queue and two connections; the caller closes them. */
export function openTraces({ bucket, redisUrl }: { bucket: string; redisUrl: string } = inject('service')) {
  const { endpoint, region, accessKey, secretKey } = inject('stack').s3
  const { hostname, port } = new URL(endpoint)
  const store = new Client({ endPoint: hostname, port: Number(port), useSSL: false, region, accessKey, secretKey })
  const redis = new Redis(redisUrl)
  const queue = new Queue(queueName, { connection: { url: redisUrl }, prefix: queuePrefix })
  const records = createJobRecords(redis)

  async function objects(org: string): Promise<string[]> {
    const keys: string[] = []
    for await (const { name } of store.listObjectsV2(bucket, `${org}/`, true)) keys.push(name as string)
    return keys.sort()
  }

  async function keysLike(pattern: string): Promise<string[]> {
    const keys: string[] = []
    for await (const found of redis.scanStream({ match: pattern, count: 1_000 })) keys.push(...(found as string[]))
    return keys
  }

  async function unfinished(org: string): Promise<string[]> {
    const lines: string[] = []
    for (const key of await keysLike(recordKey('*'))) {
      const job = await records.read(key.slice(recordKey('').length))
      if (job?.orgName !== org) continue
      const queued = await queue.getJobState(job.id)
      const isOver = ['succeeded', 'failed', 'cancelled'].includes(job.state) && (await redis.ttl(key)) > 0
      if (!isOver || !['failed', 'unknown'].includes(queued))
        lines.push(`${job.id} ${job.state}, ${queued} in the queue`)
      if ((await redis.exists(secretKeyOf(job.id))) === 1) lines.push(`${job.id} has secrets`)
    }
    return lines
  }

  const read = async (org: string): Promise<Traces> => ({
    objects: await objects(org),
    claims: await keysLike(`packets:claim:${org}/*`),
    unfinished: await unfinished(org),
  })

  return {
    objects,
    read,
    /** Traces once no job is active: a job's answer is sent shortly before its request object is deleted. */
    settled: (org: string): Promise<Traces> =>
      vi.waitFor(
        async () => {
          const found = await read(org)
          const requests = found.objects.filter((key) => key.startsWith(`${org}/.jobs/`))
          if (found.unfinished.length + requests.length > 0) throw new Error('a job is under way')
          return found
        },
        { timeout: 60_000 },
      ),
    async close() {
      await queue.close()
      redis.disconnect()
    },
  }
}
