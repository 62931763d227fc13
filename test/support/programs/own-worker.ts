import { pino } from 'pino'
import { afterAll, inject } from 'vitest'
import { uniqueName } from '../../../dev/requests.ts'
import { overrides } from '../../../dev/service.ts'
import { readConfig } from '../../../shared/config/config.ts'
import { Releases } from '../../../shared/lifecycle/releases.ts'
import { createWorkerContext, type WorkerContext } from '../../../worker/context.ts'
import { databaseOfFile } from './own-service.ts'

/** What a worker runs with, for one test file: its own Redis database and bucket, and a janitor that looks each second. */
export async function ownWorker(
  env: Record<string, string> = {},
): Promise<{ context: WorkerContext; releases: Releases }> {
  const config = readConfig('worker', {
    ...inject('service').env,
    REDIS_URL: `${inject('stack').redis.url.replace(/\/\d*$/, '')}/${await databaseOfFile()}`,
    S3_BUCKET: uniqueName('own'),
    ...overrides({ janitorSeconds: 1 }),
    ...env,
  })
  const log = pino({ level: 'silent' })
  const releases = new Releases(log)
  const context = await createWorkerContext(config, log, releases)
  afterAll(() => releases.dispose())
  return { context, releases }
}
