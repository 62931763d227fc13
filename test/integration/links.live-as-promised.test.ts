import { randomUUID } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import type { ApiContext } from '../../api/context.ts'
import { jobAnswer } from '../../api/submission/job-answer.ts'
import { readConfig } from '../../shared/config/config.ts'
import type { JobRecord } from '../../shared/jobs/job.ts'
import { linkLifetime, longestLinkSeconds } from '../../shared/storage/links.ts'
import { type Manifest, removal, voided } from '../../shared/storage/manifest.ts'
import { openTestStorage } from '../support/storage/storage.ts'
import { commitPacket } from '../support/storage/stored-packets.ts'
import { nothing, sweep } from '../support/storage/sweeps.ts'
import { only } from '../support/values/only.ts'

const config = readConfig('api', inject('service').env)
const storage = await openTestStorage()
const context = only<ApiContext>({ ...storage, config })

const hourSeconds = 3_600
const daySeconds = 24 * hourSeconds
const ago = (seconds: number) => ({ createdAt: new Date(Date.now() - seconds * 1_000).toISOString() })

/** A job that committed a packet `seconds` ago. */
async function committed(seconds: number): Promise<JobRecord> {
  const [orgName, fileName] = [`org-${randomUUID()}`, 'file']
  const generation = await commitPacket(storage, `${orgName}/${fileName}`, ['{}', '{}'], ago(seconds))
  return { id: randomUUID(), state: 'succeeded', error: null, orgName, fileName, generation } as JobRecord
}

const nameOf = ({ orgName, fileName }: JobRecord) => `${orgName}/${fileName}`

const overwrite = (job: JobRecord, seconds: number) => commitPacket(storage, nameOf(job), ['{}'], ago(seconds))
const commit = (job: JobRecord, manifest: ReturnType<typeof removal>, seconds: number) =>
  storage.generations.commit(nameOf(job), { ...manifest, ...ago(seconds) }, { force: true, taken: () => new Error() })

/** Lifetime in seconds of the links in a job's result, or the error it answers instead. */
async function lifetimeOf(job: JobRecord): Promise<number | string> {
  const answer = await jobAnswer(context, job, {}, true)
  if (answer.kind !== 'publish') throw new Error('the answer is no publish response')
  if (answer.response.error) return answer.response.error
  const urls = answer.response.fileLocations ?? []
  const [lifetime, ...others] = new Set(urls.map((url) => Number(new URL(url).searchParams.get('X-Amz-Expires'))))
  expect(others).toEqual([])
  return lifetime ?? 'no link'
}

test('links in a job’s result live a day while its packet is current, whatever its age, even below voids', async () => {
  expect(await lifetimeOf(await committed(0))).toBe(daySeconds)
  const old = await committed(30 * daySeconds)
  expect(await lifetimeOf(old)).toBe(daySeconds)
  await commit(old, voided(randomUUID()), 20 * daySeconds)
  expect(await lifetimeOf(old)).toBe(daySeconds)
})

test('links to a superseded packet expire when its week is over, whatever superseded it', async () => {
  for (const supersede of [overwrite, (job: JobRecord, seconds: number) => commit(job, removal(), seconds)]) {
    for (const [seconds, left] of [
      [5 * daySeconds, daySeconds],
      [longestLinkSeconds - hourSeconds, hourSeconds],
      [longestLinkSeconds - 60, 60],
    ] as const) {
      const job = await committed(30 * daySeconds)
      await commit(job, voided(randomUUID()), 29 * daySeconds)
      await supersede(job, seconds)
      await overwrite(job, 0)
      const lifetime = Number(await lifetimeOf(job))
      expect(lifetime).toBeLessThanOrEqual(left)
      expect(lifetime).toBeGreaterThan(left - 20)
    }
  }
})

test('links to a packet just superseded live on although a void generation between the two was swept', async () => {
  const swept = await openTestStorage()
  const committing = { force: true, taken: () => new Error('taken') }
  await commitPacket(swept, 'org/file', ['1'], ago(30 * daySeconds))
  for (let count = 0; count < 2; count++) await swept.generations.commit('org/file', voided(randomUUID()), committing)
  expect(await sweep(swept)).toEqual({ ...nothing, generations: 1 })
  await commitPacket(swept, 'org/file', ['2'])
  const { generations } = swept.reopen()
  expect(await generations.list('org/file')).toEqual([1, 3, 4])
  const first = { generation: 1, manifest: (await generations.read('org/file', 1)) as Manifest }
  expect(await linkLifetime(generations, 'org/file', first, daySeconds)).toBe(daySeconds)
})

test('no link is signed to a packet superseded more than a week ago, even if its parts still exist', async () => {
  const job = await committed(30 * daySeconds)
  await overwrite(job, longestLinkSeconds + 1)
  expect(await lifetimeOf(job)).toMatch(/^410 Gone: /)
})
