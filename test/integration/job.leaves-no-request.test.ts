import { expect, inject, test } from 'vitest'
import { database, uniqueName } from '../../dev/requests.ts'
import * as errors from '../../shared/errors/catalogue.ts'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { submitJob } from '../../shared/queue/submit-job.ts'
import type { BoundModel } from '../../shared/request/bound-model.ts'
import { parsePublishRequest } from '../../shared/request/rules.ts'
import { failJob, succeedJob } from '../../worker/finish-job.ts'
import { ownWorker } from '../support/programs/own-worker.ts'
import { commitPacket, keysBelow } from '../support/storage/stored-packets.ts'

/** What jobs keep in the store while they are unfinished. */
const { context } = await ownWorker()

const model: BoundModel = {
  version: 'v',
  types: [{ label: 'Person', properties: [{ key: 'id' }] }],
  properties: ['id'],
}

const ends: [string, (job: JobRecord) => Promise<void>][] = [
  [
    'succeeds',
    async (job) =>
      succeedJob(context, job, await commitPacket(context, `${job.orgName}/f`, ['packet'], { jobId: job.id })),
  ],
  ['fails', (job) => failJob(context, job, errors.originBroke())],
]

test.each(
  ends.flatMap(([name, end]) =>
    [1, 21].flatMap((count) => [null, model].map((bound) => ({ name, end, count, model: bound }))),
  ),
)('a job of $count sub-requests that $name leaves nothing of its request (model: $model.version)', async (given) => {
  const orgName = uniqueName('org')
  const mappedIndices = { DEFAULT_INDEX: 'Person', DEFAULT_ID_FIELD: 'id' }
  const bound = given.model ? { model: given.model.version } : {}
  const fields = { ...database(inject('stack').neo4j, 'Person', 'id'), mappedIndices, originIds: ['p1'], ...bound }
  const { request } = parsePublishRequest({ ...fields, metadata: true, orgName, fileName: 'f' })
  const requests = Array.from({ length: given.count }, () => request)
  const submission = { kind: 'multi', orgName, fileName: 'f', batchSize: 10, force: false, requests } as const
  const submitting = { ...context, openRunsLimit: 1_000, secretKeys: context.config.secretKeys }
  const { id } = await submitJob(submitting, submission, undefined, { model: given.model })
  const kept = () => keysBelow(context, `${orgName}/.jobs/`)
  expect(await kept()).toHaveLength(1 + (given.model ? 1 : 0) + (given.count > 20 ? 1 : 0))
  await given.end((await context.records.read(id)) as JobRecord)
  await context.endedRequests.done()
  expect(await kept()).toEqual([])
})
